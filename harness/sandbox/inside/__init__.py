"""What runs inside the containers, copied into the image as `harness_inside`: standard library, and pytest for the grader."""
