"""The coding programs that can be driven: ours, any command, and the two controls of every suite."""
