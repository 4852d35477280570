"""An independent reader of the rules: reference scorers and a checker of event logs.

Plain Python, written from the specifications of the games and from the schema of the event log; it
imports nothing of the package under test.
"""
