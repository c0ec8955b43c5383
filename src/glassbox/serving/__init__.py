"""Small, seeded simulators of serving: memory in blocks, shared prefixes, a queue."""
