"""What runs inside the containers: standard library only (the grader also imports pytest), copied into the image as `harness_inside`."""
