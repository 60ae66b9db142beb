package io.fjordmq.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A section of a page of the documentation with the examples that it contains. */
public final class DocumentedSection {
  private static final String FENCE = "```";
  private static final String HEADING = "## ";

  private record Example(String language, String text) {}

  private final String name;
  private final List<Example> examples;

  private DocumentedSection(String name, List<Example> examples) {
    this.name = name;
    this.examples = examples;
  }

  /**
   * Reads a section.
   *
   * @param page the name of a file in the directory docs
   * @param heading the text of a heading of the second level
   */
  public static DocumentedSection of(String page, String heading) throws IOException {
    List<Example> examples = new ArrayList<>();
    boolean inSection = false;
    boolean inExample = false;
    String language = "";
    StringBuilder text = new StringBuilder();
    for (String line : Files.readAllLines(docs().resolve(page))) {
      if (inExample && line.equals(FENCE)) {
        inExample = false;
        examples.add(new Example(language, text.toString()));
      } else if (inExample) {
        text.append(line).append('\n');
      } else if (line.startsWith(HEADING)) {
        inSection = line.equals(HEADING + heading);
      } else if (inSection && line.startsWith(FENCE)) {
        inExample = true;
        language = line.substring(FENCE.length());
        text.setLength(0);
      }
    }
    return new DocumentedSection(page + ", " + heading, examples);
  }

  /** Maven runs the tests of a module in the directory of the module. */
  private static Path docs() {
    Path folder = Path.of("docs");
    return Files.isDirectory(folder) ? folder : Path.of("..").resolve(folder);
  }

  /**
   * Returns an example.
   *
   * @param language what follows the opening fence, such as {@code yaml}; empty for commands
   * @param index the position among the examples in this language, from 0
   * @throws AssertionError if the section has no such example
   */
  public String example(String language, int index) {
    List<String> found =
        examples.stream()
            .filter(example -> example.language().equals(language))
            .map(Example::text)
            .toList();
    if (index >= found.size()) {
      throw new AssertionError(
          "%s has %d examples in '%s'".formatted(name, found.size(), language));
    }
    return found.get(index);
  }
}
