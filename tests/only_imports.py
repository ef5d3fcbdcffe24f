"""An import contract for `make lint`: some modules may import what a list names, and nothing else.

What is forbidden has to be thought of; what is allowed does not. The standard library counts: a rule that reads a file
or a clock would have to import something for it.
"""

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from importlinter.domain.helpers import module_expressions_to_modules


class OnlyImports(Contract):
    """Modules, with all that is below them, import only allowed modules, with all that is below those."""

    type_name = "only_imports"

    source_modules = fields.SetField(subfield=fields.ModuleExpressionField())
    allowed_modules = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Find every direct import of a module that is not in the list."""
        sources = {
            name
            for module in module_expressions_to_modules(graph, self.source_modules)
            for name in {module.name, *graph.find_descendants(module.name)}
        }
        found = [
            (source, imported)
            for source in sorted(sources)
            for imported in sorted(graph.find_modules_directly_imported_by(source) - sources)
            if not any(imported == name or imported.startswith(f"{name}.") for name in self.allowed_modules)
        ]
        return ContractCheck(kept=not found, metadata={"found": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name each import, one a line."""
        for source, imported in check.metadata["found"]:
            output.print_error(f"{source} imports {imported}, which is not in the list", bold=False)
