package io.fjordmq.broker.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Modules in each supported form. The web test runs the result in a browser. */
class JoinedModulesTest {
  @Test
  void shouldRunEachModuleOnceAfterThoseThatItImports() {
    String joined =
        JoinedModules.join(
            Map.of(
                "main.js",
                    "import { one } from './lib/one.js';\nimport { two } from './lib/two.js';\none(two);\n",
                "lib/one.js",
                    "import { two as other } from './two.js';\nexport const one = other;\n",
                "lib/two.js", "export function two() {\n  return 2;\n}\n"),
            "main.js");
    assertThat(joined)
        .isEqualTo(
            """
            // lib/two.js
            const module0 = (() => {
            function two() {
              return 2;
            }

            return { two };
            })();
            // lib/one.js
            const module1 = (() => {
            const { two: other } = module0;
            const one = other;

            return { one };
            })();
            // main.js
            const module2 = (() => {
            const { one } = module1;
            const { two } = module0;
            one(two);

            return {  };
            })();
            export const modules = { 'lib/two.js': module0, 'lib/one.js': module1, 'main.js': module2 };
            """);
  }

  @Test
  void shouldImportLibrariesOnce() {
    String joined =
        JoinedModules.join(
            Map.of(
                "main.js", "import { h } from 'preact';\nimport { o } from './other.js';\n",
                "other.js",
                    "import plot from 'uplot';\nimport { h } from 'preact';\nexport const o = plot;\n"),
            "main.js");
    assertThat(joined)
        .startsWith("import * as library0 from 'preact';\nimport * as library1 from 'uplot';\n")
        .contains("const plot = library1.default;\nconst { h } = library0;\n");
  }

  @Test
  void shouldExportListsAndImports() {
    String joined =
        JoinedModules.join(
            Map.of(
                "main.js",
                "import { h, x } from 'preact';\nexport { h, x };\nexport { useId } from 'preact/hooks';\n"),
            "main.js");
    assertThat(joined).contains("return { h, x, useId: library1.useId };");
  }

  @Test
  void shouldRejectWhatItDoesNotSupport() {
    for (String form :
        new String[] {
          "import * as all from './x.js';",
          "import './x.js';",
          "export default 1;",
          "export let count = 0;",
          "import {"
        }) {
      assertThatThrownBy(() -> JoinedModules.join(Map.of("lib/a.js", form), "lib/a.js"))
          .hasMessage("unsupported import or export in lib/a.js of the web page: " + form);
    }
  }

  @Test
  void shouldRejectMissingModulesAndCycles() {
    assertThatThrownBy(
            () -> JoinedModules.join(Map.of("a.js", "import { b } from './b.js';"), "a.js"))
        .hasMessage("the web page has no module b.js; it is needed by [a.js]");
    assertThatThrownBy(
            () ->
                JoinedModules.join(
                    Map.of(
                        "a.js",
                        "import { b } from './b.js';",
                        "b.js",
                        "import { a } from './a.js';"),
                    "a.js"))
        .hasMessage("modules of the web page import each other: [a.js, b.js]");
  }
}
