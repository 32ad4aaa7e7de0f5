"""On the path of a server, it makes the steps of a search slow."""

from tests.browser.slowly import slow_learning  # noqa: F401
