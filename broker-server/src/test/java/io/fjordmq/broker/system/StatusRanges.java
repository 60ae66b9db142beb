package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The ranges of a cluster as one node shows them in {@code /status}, in the order of keys. */
record StatusRanges(String page, List<Line> lines) {
  private static final List<String> STORES = List.of("dist", "inbox", "retain");
  private static final String BEFORE_ALL = "";
  private static final String AFTER_ALL = "∞";
  private static final Pattern LINE =
      Pattern.compile("range (\\w+)-(\\d+) .*  keys \\[([0-9a-f]*), ([0-9a-f]+|∞)\\).*");

  /** A range, with its keys from the first to the one after the last. */
  private record Line(String store, String name, String start, String end) {}

  static StatusRanges at(BrokerUnderTest node) {
    String page = Scrape.get(node.httpPort(), "/status").body();
    List<Line> lines = new ArrayList<>();
    for (String line : page.lines().filter(one -> one.startsWith("range ")).toList()) {
      Matcher parts = LINE.matcher(line);
      assertThat(parts.matches()).as(line).isTrue();
      String name = parts.group(1) + "-" + parts.group(2);
      lines.add(new Line(parts.group(1), name, parts.group(3), parts.group(4)));
    }
    return new StatusRanges(page, lines);
  }

  /** The names of a store's ranges. */
  List<String> names(String store) {
    return linesOf(store).stream().map(Line::name).toList();
  }

  private List<Line> linesOf(String store) {
    return lines.stream().filter(line -> line.store().equals(store)).toList();
  }

  /** Every key of every store is in exactly one range, and no replica is halted. */
  void assertComplete() {
    for (String store : STORES) {
      String next = BEFORE_ALL;
      for (Line line : linesOf(store)) {
        assertThat(line.start()).as("where %s begins in%n%s", line.name(), page).isEqualTo(next);
        next = line.end();
      }
      assertThat(next).as("where the last of %s ends in%n%s", store, page).isEqualTo(AFTER_ALL);
    }
    assertThat(page).doesNotContain("is halted");
  }
}
