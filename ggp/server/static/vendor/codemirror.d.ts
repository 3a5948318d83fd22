export * from "../../bundle/codemirror.js";
