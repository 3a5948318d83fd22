"""The Reasoner: forward chaining over indexed relations. The reference for every other engine."""
