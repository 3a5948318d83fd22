"""The Reasoner: forward chaining over indexed relations; the reference for all other engines."""
