"""Builds nodes from tokens."""

from collections.abc import Iterable, Mapping

from stencil.errors import Position, TemplateSyntaxError
from stencil.expressions import Literal, Reader
from stencil.filters import Filter
from stencil.lexer import Token
from stencil.nodes import Body, For, If, Include, Node, Output, Text


def parse(tokens: Iterable[Token], filters: Mapping[str, Filter]) -> Body:
    """Return the nodes of a template; raise TemplateSyntaxError where it makes no sense."""
    return _Parser(list(tokens), filters).template()


class _Parser:
    def __init__(self, tokens: list[Token], filters: Mapping[str, Filter]) -> None:
        self._tokens = tokens[::-1]  # the next one is last
        self._filters = filters

    def template(self) -> Body:
        body = self._body()
        if self._tokens:
            token = self._tokens[-1]
            raise TemplateSyntaxError(f"unexpected tag {token.content!r}", token.position)
        return body

    def _body(self) -> Body:
        """Read nodes up to a tag that starts none, which is left where it is."""
        nodes: list[Node] = []
        while self._tokens:
            token = self._tokens[-1]
            if token.kind == "text":
                nodes.append(Text(self._tokens.pop().content))
            elif token.kind == "output":
                nodes.append(self._output(self._tokens.pop()))
            elif token.word in _STARTS:
                nodes.append(_STARTS[token.word](self, self._tokens.pop()))
            else:
                break
        return tuple(nodes)

    def _output(self, token: Token) -> Node:
        reader = Reader(token.content, token.position, self._filters)
        value = reader.value()
        reader.end()
        return Output(value)

    def _if(self, token: Token) -> Node:
        start, branches = token.position, []
        while token.word in ("if", "elif"):
            reader = self._reader(token)
            condition = reader.condition()
            reader.end()
            branches.append((condition, self._body()))
            token = self._next_of(("elif", "else", "endif"), start)
        if token.word == "else":
            branches.append((Literal(True), self._body()))
            self._next_of(("endif",), start)
        return If(tuple(branches))

    def _for(self, token: Token) -> Node:
        reader = self._reader(token)
        name = reader.next()
        if not name.isidentifier() or not reader.skip("in"):
            raise TemplateSyntaxError("write it like 'for item in items'", token.position)
        values = reader.value()
        reader.end()
        body, empty = self._body(), ()
        if self._next_of(("else", "endfor"), token.position).word == "else":
            empty = self._body()
            self._next_of(("endfor",), token.position)
        return For(name, values, body, empty, token.position)

    def _include(self, token: Token) -> Node:
        reader = self._reader(token)
        name = reader.value()
        reader.end()
        return Include(name, token.position)

    def _reader(self, token: Token) -> Reader:
        source = token.content.removeprefix(token.word)
        return Reader(source, token.position, self._filters)

    def _next_of(self, words: tuple[str, ...], start: Position) -> Token:
        """Take the next tag, which must be one of ``words``."""
        if not self._tokens:
            raise TemplateSyntaxError(f"{words[-1]!r} is missing", start)
        token = self._tokens.pop()
        if token.word not in words:
            wanted = " or ".join(words)
            message = f"unexpected tag {token.content!r}, expected {wanted}"
            raise TemplateSyntaxError(message, token.position)
        return token


_STARTS = {"if": _Parser._if, "for": _Parser._for, "include": _Parser._include}
