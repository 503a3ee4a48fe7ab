"""Builds a smaller plotly.js: without maps, three dimensions and WebGL, which no chart uses.

The Python package brings the whole library only, and making a smaller one takes Node. But each module of the bundle is
a function of its own that runs when another module asks for it, and these are used only where such a chart is drawn:
an empty module in their place changes nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

NOTHING = "W((e,t)=>{t.exports={}});"
ANYTHING = "W((e,t)=>{t.exports=new Proxy({},{get:()=>({})})});"
"""A module that has nothing, and one that has an empty thing of any name."""
ON_IMPORT = "Ea(()=>{});"


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the bundle.

    what     what it holds
    begins   its first characters
    follows  those of what comes right after it
    instead  what stands in its place
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
"""Of plotly.js 4.1.1, in plotly 7.1.0: names in a bundle change with each version."""


def without_unused(script: str) -> str:
    """The library without UNUSED. Raises ValueError for another version, in which they are not found."""
    for module in UNUSED:
        if script.count(module.begins) != 1 or script.count(module.follows) != 1:
            raise ValueError(f"the part for {module.what} is not where plotly.js 4.1.1 has it")
        head, _, rest = script.partition(module.begins)
        _, follows, tail = rest.partition(module.follows)
        script = f"{head}{module.instead}{follows}{tail}"
    return script
