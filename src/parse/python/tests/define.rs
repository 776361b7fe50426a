//! Functions, parameters, documentation, placeholders, what runs on loading.

use super::super::*;
use super::{check, f, texts};

#[test]
fn functions_of_the_module_the_last_definition_wins() {
    let source = "def f(): return 1\nif x:\n    def g(): pass\nclass C:\n    def f(self): return 2\n@d\ndef f(): return 3\ndef h():\n    def f(): return 4\n";
    let tree = parse(source);
    let names = |functions: Vec<NodeId>| functions.iter().filter_map(|it| tree.name(*it)).collect::<Vec<_>>().join(" ");
    assert_eq!(names(tree.functions()), "f g f h");
    assert_eq!(names(tree.all_functions()), "f g f f h f");
    assert_eq!(names(tree.classes()), "C");
    assert_eq!(names(tree.functions_in(tree.classes()[0])), "f");
    assert_eq!(tree.text(f(&tree)), "def f(): return 3");
    assert_eq!(tree.function("missing"), None);
}

#[test]
fn parameters() {
    let render = |tree: &Tree| {
        let one = |it: Parameter| {
            let part = |mark: &str, node: Option<NodeId>| node.map(|node| format!("{mark}{}", tree.text(node)));
            let (annotation, default) = (part(":", it.annotation), part("=", it.default));
            [Some(tree.text(it.name).to_owned()), annotation, default, Some(format!(" {}", it.kind.as_str()))]
                .into_iter()
                .flatten()
                .collect::<String>()
        };
        tree.parameters(f(tree)).into_iter().map(one).collect::<Vec<_>>().join(", ")
    };
    check(
        &[
            ("def f(): pass\n", ""),
            ("def f(a, b=1): pass\n", "a positional, b=1 positional"),
            ("def f(a, /, b): pass\n", "a positional_only, b positional"),
            ("def f(a, *, b=2, c): pass\n", "a positional, b=2 keyword_only, c keyword_only"),
            ("def f(*args, key, **rest): pass\n", "args star, key keyword_only, rest double_star"),
            ("def f(a: int, b: str = '', *c: int): pass\n", "a:int positional, b:str='' positional, c:int star"),
            ("def f(a, # one\n      b # two\n      ): pass\n", "a positional, b positional"),
        ],
        render,
    );
    let tree = parse("g = lambda x, *y: x\n");
    let lambda = tree.find(0, Reach::Own, "lambda").next().expect("there is a lambda");
    assert_eq!(texts(&tree, tree.parameters(lambda).into_iter().map(|it| it.name)), "x | y");
}

#[test]
fn decorators_annotations_and_async() {
    let tree = parse("@a.b\n@c(1)  # why\nasync def f() -> List[int]:\n    pass\ndef g(): pass\n");
    assert_eq!(texts(&tree, tree.decorators(f(&tree))), "a.b | c(1)");
    assert_eq!(texts(&tree, tree.return_type(f(&tree))), "List[int]");
    assert!(tree.is_async(f(&tree)));
    let g = tree.function("g").expect("there is g");
    assert_eq!((tree.decorators(g), tree.return_type(g), tree.is_async(g)), (vec![], None, false));
}

#[test]
fn documentation_and_body() {
    let render = |tree: &Tree| {
        let documentation = tree.docstring(f(tree)).map_or("-", |it| tree.text(it));
        format!("{documentation} : {}", texts(tree, tree.body(f(tree))))
    };
    check(
        &[
            ("def f():\n    'doc'\n    return 1\n", "'doc' : return 1"),
            ("def f():\n    # c\n    \"\"\"doc\"\"\"\n", "\"\"\"doc\"\"\" : "),
            ("def f(): 'a' 'b'\n", "'a' 'b' : "),
            ("def f():\n    f'{x}'\n", "- : f'{x}'"),
            ("def f():\n    b'x'; y\n", "- : b'x' | y"),
            ("def f():\n    x = 1  # c\n    y\n", "- : x = 1 | y"),
        ],
        render,
    );
    let tree = parse("'module'\nx = 1\n");
    assert_eq!(tree.docstring(0).map(|it| tree.text(it)), Some("'module'"));
    assert_eq!(texts(&tree, tree.body(0)), "x = 1");
}

#[test]
fn placeholders() {
    let placeholders = [
        "def f(): pass\n",
        "def f():\n    'doc'\n",
        "def f():\n    \"\"\"doc\"\"\"\n    ...\n",
        "def f():\n    raise NotImplementedError\n",
        "def f():\n    raise NotImplementedError('later')\n",
        "def f():\n    # TODO: write\n    return None\n",
        "def f():\n    pass  # your code here\n    return\n",
    ];
    let written = [
        "def f(): return None\n",
        "def f(): return 1  # TODO\n",
        "def f():\n    pass\n    print(1)\n",
        "def f():\n    raise ValueError\n",
        "def f():\n    if x: raise NotImplementedError\n    return 1\n",
    ];
    for (programs, expected) in [(&placeholders[..], true), (&written[..], false)] {
        for program in programs {
            let tree = parse(*program);
            assert_eq!(tree.is_placeholder(f(&tree)), expected, "{program}");
        }
    }
}

#[test]
fn what_runs_on_loading() {
    let source = "'doc'\nimport os\nfrom a import b\nN = 1\ndef f(): pass\n@d\nclass C: pass\nprint(f())\nassert f() is None\nif __name__ == '__main__':\n    f()\n";
    let tree = parse(source);
    let loose = tree.loose_statements();
    assert_eq!(texts(&tree, loose[..3].iter().copied()), "N = 1 | print(f()) | assert f() is None");
    let guards: Vec<bool> = loose.iter().map(|it| tree.is_main_guard(*it)).collect();
    assert_eq!(guards, [false, false, false, true]);
    let reversed = parse("if (\"__main__\" == __name__): pass\nif __name__ == 'x': pass\n");
    let guards: Vec<bool> = reversed.loose_statements().iter().map(|it| reversed.is_main_guard(*it)).collect();
    assert_eq!(guards, [true, false]);
}
