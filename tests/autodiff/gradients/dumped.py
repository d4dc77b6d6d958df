"""Cases of gradients whose modules are those that JAX makes of its functions: files of a folder for each, in an archive. Imported by
make-special.py and make-lapack.py, which say which."""
import io
import json
import tarfile

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def leaves(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def case_files(name, f, arguments, cotangent=lambda r: np.ones(r.shape), expected=lambda name, number, arguments, gradient: gradient):
    """-> {name of a file: bytes}. `cotangent` makes one for a result; `expected` may put something else in place of JAX's gradient."""
    def g(*args):
        return leaves(f(*args))

    text = jax.jit(g).lower(*arguments).compiler_ir("hlo").as_hlo_text(True)
    results, back = jax.vjp(jax.jit(g), *[jnp.asarray(a) for a in arguments])
    cotangents = [np.asarray(cotangent(r)).astype(r.dtype) for r in results]
    gradients = back([jnp.asarray(c) for c in cotangents])
    about = {"about": name, "rtol": 1e-8, "atol": 1e-11, "kind": "gradient", "source": f"jax {jax.__version__}"}
    files = {"module.hlo": text.encode(), "case.json": (json.dumps(about) + "\n").encode()}
    arrays = {"in": arguments, "ct": cotangents, "out": results,
              "grad_in": [expected(name, i, arguments, g) for i, g in enumerate(gradients)]}
    for stem, values in arrays.items():
        for i, value in enumerate(values):
            to = io.BytesIO()
            np.save(to, np.asarray(value))
            files[f"{stem}{i}.npy"] = to.getvalue()
    return files


def write(path, cases):
    """`cases` yields (name, files)."""
    with tarfile.open(path, "w:gz") as tar:
        for name, files in cases:
            print(name, len(files["module.hlo"]), flush=True)
            for file, data in files.items():
                info = tarfile.TarInfo(f"g-{name}/{file}")
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
