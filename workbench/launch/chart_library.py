"""Builds a smaller plotly.js, without maps, 3D and WebGL, which no chart uses.

The Python package has only the whole library, and building a smaller one needs Node. But each module of the bundle is a
function that runs when another module requires it, and these are required only for such charts: replacing them by an
empty module has no other effect.
"""

from __future__ import annotations

from dataclasses import dataclass

NOTHING = "W((e,t)=>{t.exports={}});"
ANYTHING = "W((e,t)=>{t.exports=new Proxy({},{get:()=>({})})});"
"""An empty module, and one with an empty property of any name."""
ON_IMPORT = "Ea(()=>{});"


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the bundle.

    what     its content
    begins   its first characters
    follows  the characters directly after it
    instead  its replacement
    """

    what: str
    begins: str
    follows: str
    instead: str


UNUSED = (
    Module("three dimensions", "nc=W((cHr,dqe)=>{", "var om=W((fHr,pqe)=>{", f"nc={ANYTHING}"),
    Module("WebGL in two dimensions", "zee=W((Iee,Ree)=>{", "var NYe=W((wYr,OYe)=>{", f"zee={NOTHING}"),
    Module("maps, shared", "Vnt=Ea(()=>{adr=", "var Pst={};Fp(Pst,", f"Vnt={ON_IMPORT}"),
    Module("maps", "Rst=Ea(()=>{Vnt();", "var Bst=W((sri,zst)=>{", f"Rst={ON_IMPORT}"),
    Module("maps, beside the page", "Bst=W((sri,zst)=>{", "var Vst=W((lri,Ust)=>{", f"Bst={NOTHING}"),
)
"""For plotly.js 4.1.1, in plotly 7.1.0: names in a bundle change with each version."""


def without_unused(script: str) -> str:
    """The library without UNUSED. Raises ValueError for another version, which does not contain them."""
    for module in UNUSED:
        if script.count(module.begins) != 1 or script.count(module.follows) != 1:
            raise ValueError(f"the part for {module.what} is not where plotly.js 4.1.1 has it")
        head, _, rest = script.partition(module.begins)
        _, follows, tail = rest.partition(module.follows)
        script = f"{head}{module.instead}{follows}{tail}"
    return script
