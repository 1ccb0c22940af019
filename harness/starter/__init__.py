"""What `harness init` finds in a team's repository and writes into it."""
