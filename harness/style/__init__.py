"""The style instrument: which rules that a project really follows does a change newly break?"""
