"""Docker sandbox: images, the containers of a trial, change capture and grading. Importing this imports no Docker client."""
