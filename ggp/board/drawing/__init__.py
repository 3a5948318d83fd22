"""Boards and charts as SVG: elements, colours, shapes, and whole documents."""
