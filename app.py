"""BJP Explorer: the router. Pages live in `pages/`, what they share in `bjp_explorer`."""

# The processes that run an experiment import this file by another name, and want nothing of it.
if __name__ == "__main__":
    from bjp_explorer.app import frame

    frame.run()
elif __name__ != "__mp_main__":
    # `streamlit run` finds the App and imports this file for it; each visit runs the file anew.
    from streamlit.starlette import App

    from bjp_explorer.app.server import Application, guard, lifespan

    app: Application = App(__file__, lifespan=lifespan)
    app = guard(app)
