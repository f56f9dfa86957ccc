"""Evolution: genomes, selection, breeding, fitness by play, and runs that can be stored and resumed."""
