package io.fjordmq.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cli.api.Json;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tables on terminals of any width, and for programs. */
class TableTest {
  private static final List<Column> COLUMNS =
      List.of(
          Column.text("NAME", "name"),
          Column.number("NUMBER", "nested.number"),
          Column.text("NOTE", "note").optional(),
          Column.flag("ON", "on"),
          Column.text("WIDE", "wide").ifWide());

  private static String print(int width, String... elements) {
    StringWriter text = new StringWriter();
    new Table(COLUMNS, width, new PrintWriter(text)).print(parse(elements));
    return text.toString();
  }

  private static List<JsonNode> parse(String... elements) {
    return Stream.of(elements).map(Json::parse).toList();
  }

  @Test
  void shouldAlignColumns() {
    assertThat(
            print(
                80,
                "{\"name\":\"a\",\"nested\":{\"number\":7},\"note\":\"x\",\"on\":true}",
                "{\"name\":\"much longer\",\"nested\":{\"number\":1234567},\"on\":false}"))
        .isEqualTo(
            """
            NAME          NUMBER  NOTE  ON   WIDE
            a                  7  x     yes  -
            much longer  1234567  -     no   -
            """);
  }

  @Test
  void shouldHideOptionalColumnsWithoutValuesOnlyOnATerminal() {
    assertThat(print(80, "{\"name\":\"a\"}"))
        .isEqualTo("NAME  NUMBER  ON  WIDE\na          -  -   -\n");
    assertThat(print(0, "{\"name\":\"a\"}")).isEqualTo("NAME\tNUMBER\tNOTE\tON\tWIDE\na\t\t\t\t\n");
    assertThat(print(80)).isEqualTo("NAME  NUMBER  ON  WIDE\n");
  }

  @Test
  void shouldCutTheLongestTextsToTheWidthOfTheTerminal() {
    String element =
        "{\"name\":\"%s\",\"nested\":{\"number\":7},\"note\":\"%s\",\"on\":true,\"wide\":\"w\"}"
            .formatted("n".repeat(50), "m".repeat(20));
    String table = print(40, element);
    assertThat(table.lines()).allMatch(line -> line.length() <= 40);
    assertThat(table).doesNotContain("WIDE").contains("nnn…  ", "mmm…  ", "     7  ");
    assertThat(print(0, element)).contains("n".repeat(50) + "\t7\t" + "m".repeat(20));
    assertThat(print(1, element)).contains("nnnnnnn…"); // some characters remain in any case
  }

  @Test
  void shouldKeepTheWidthsOfTheFirstPage() {
    StringWriter text = new StringWriter();
    Table table = new Table(COLUMNS, 80, new PrintWriter(text));
    table.print(parse("{\"name\":\"first\"}"));
    table.print(parse("{\"name\":\"second\",\"note\":\"x\"}"));
    assertThat(text.toString())
        .isEqualTo("NAME   NUMBER  ON  WIDE\nfirst       -  -   -\nseco…       -  -   -\n");
  }

  @Test
  void shouldCountWideCharactersTwice() {
    assertThat(TerminalText.width("温度")).isEqualTo(4);
    assertThat(TerminalText.width("e\u0301😀")).isEqualTo(3);
    assertThat(TerminalText.cut("温度计", 4)).isEqualTo("温…");
    assertThat(TerminalText.cut("温度", 4)).isEqualTo("温度");
  }

  @Test
  void shouldEscapeWhatCouldControlTheTerminal() {
    assertThat(TerminalText.printable("a\u001b[2J\nb\tc\u009b\u202ed\u2028"))
        .isEqualTo("a\\u001b[2J\\u000ab\\u0009c\\u009b\\u202ed\\u2028");
    assertThat(print(0, "{\"name\":\"a\\tb\\u001b\"}")).contains("a\\u0009b\\u001b\t");
    StringWriter text = new StringWriter();
    Fields.print(Json.parse("{\"a\\n\":\"b\\n\"}"), true, new PrintWriter(text));
    assertThat(text.toString()).isEqualTo("a\\u000a  b\\u000a\n");
  }

  @Test
  void shouldPrintTheFieldsOfAnObject() {
    StringWriter text = new StringWriter();
    Fields.print(
        Json.parse("{\"a\":{\"b\":1.50,\"c\":null},\"longer\":[\"x\",2],\"o\":[{\"p\":true}]}"),
        true,
        new PrintWriter(text));
    assertThat(text.toString())
        .isEqualTo("a.b     1.50\na.c\nlonger  x, 2\no       {\"p\":true}\n");
  }

  @Test
  void shouldFormatSizesAndTimes() {
    Column size = Column.bytes("SIZE", "s");
    assertThat(size.cell(Json.parse("{\"s\":1023}"))).isEqualTo("1023 B");
    assertThat(size.cell(Json.parse("{\"s\":1024}"))).isEqualTo("1.0 KiB");
    assertThat(size.cell(Json.parse("{\"s\":5000000000000000}"))).isEqualTo("4547.5 TiB");
    assertThat(size.cell(Json.parse("{}"))).isEmpty();
    Column time = Column.time("AT", "t");
    assertThat(time.cell(Json.parse("{\"t\":\"2026-11-26T12:00:00.123+01:00\"}")))
        .isEqualTo("2026-11-26T11:00:00Z");
    assertThat(time.cell(Json.parse("{\"t\":\"infinity\"}"))).isEqualTo("infinity");
  }
}
