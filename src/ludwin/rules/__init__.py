"""How a text becomes rules: reading a game file, its parameters, its fields, its static laws."""
