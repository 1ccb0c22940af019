"""The reviewer instrument: would this team's reviewers approve the change?"""
