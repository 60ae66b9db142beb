package io.fjordmq.broker.rest;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The reference of the API as one HTML page without scripts or external files. */
final class ReferencePage {
  private static final String STYLE =
      """
      body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem;color:#1a1a1a;background:#fff}
      h1,h2{line-height:1.2}h2{border-bottom:1px solid #ccc;margin-top:2.5rem}
      code{font:14px ui-monospace,monospace;background:#f1f3f5;padding:.1rem .25rem;border-radius:.2rem}
      details{border:1px solid #ddd;border-radius:.3rem;margin:.5rem 0;padding:.4rem .8rem}
      summary{cursor:pointer}summary b{display:inline-block;min-width:4.5rem}
      table{border-collapse:collapse;width:100%;margin:.5rem 0}
      td,th{border-bottom:1px solid #eee;padding:.25rem .5rem;text-align:left;vertical-align:top}
      @media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181b}code{background:#2a2d31}
      details,td,th,h2{border-color:#3a3d41}a{color:#7ab7ff}}
      """;

  private final List<Operation> operations;
  private final String version;
  private final StringBuilder html = new StringBuilder();
  private final Map<String, Schema.Structure> structures = new TreeMap<>();

  ReferencePage(List<Operation> operations, String version) {
    this.operations = operations;
    this.version = version;
  }

  /** The page. */
  String html() {
    html.append("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">")
        .append("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
        .append("<title>FjordMQ API</title><style>")
        .append(STYLE)
        .append("</style></head><body><h1>FjordMQ API</h1><p>Version ")
        .append(escape(version))
        .append(". Base path <code>")
        .append(RestApi.BASE)
        .append("</code>. For programs: <a href=\"")
        .append(Documentation.OPENAPI_PATH)
        .append("\">OpenAPI description</a>. Send credentials in the header")
        .append(
            " <code>Authorization</code>: <code>Basic</code> with an API key and its secret, or")
        .append(" <code>Bearer</code> with a token. Errors have a body with <code>code</code> and")
        .append(" <code>message</code>.</p>");
    operations.stream().map(Operation::tag).distinct().forEach(this::section);
    html.append("<h2>Types</h2>");
    structures.forEach((name, structure) -> type(structure));
    return html.append("</body></html>\n").toString();
  }

  private void section(String tag) {
    html.append("<h2>").append(escape(tag)).append("</h2>");
    operations.stream().filter(operation -> operation.tag().equals(tag)).forEach(this::operation);
  }

  private void operation(Operation operation) {
    html.append("<details id=\"")
        .append(operation.id())
        .append("\"><summary><b>")
        .append(operation.method())
        .append("</b> <code>")
        .append(escape(operation.path()))
        .append("</code> ")
        .append(escape(operation.summary()))
        .append("</summary><p>")
        .append(prose(OpenApi.description(operation)))
        .append("</p>");
    if (!operation.pathParameters().isEmpty() || !operation.queryParameters().isEmpty()) {
      html.append("<table><tr><th>Parameter</th><th>In</th><th>Type</th><th>Meaning</th></tr>");
      operation.pathParameters().forEach(parameter -> parameter(parameter, "path"));
      operation.queryParameters().forEach(parameter -> parameter(parameter, "query"));
      html.append("</table>");
    }
    operation
        .body()
        .ifPresent(
            body ->
                html.append("<p>Body: ")
                    .append(name(body))
                    .append(operation.isBodyRequired() ? "" : ", optional")
                    .append("</p>"));
    html.append("<table><tr><th>Status</th><th>Meaning</th><th>Body</th></tr>");
    operation.responses().forEach(this::response);
    html.append("</table></details>");
  }

  private void parameter(Parameter parameter, String in) {
    Object fallback = parameter.fallback();
    html.append("<tr><td><code>")
        .append(escape(parameter.name()))
        .append("</code></td><td>")
        .append(in)
        .append("</td><td>")
        .append(name(parameter.schema()))
        .append(parameter.isRepeatable() ? ", repeatable" : "")
        .append(fallback == null ? "" : ", default " + escape(fallback.toString()))
        .append("</td><td>")
        .append(prose(parameter.description()))
        .append(
            parameter.example().isEmpty()
                ? ""
                : ", such as <code>" + escape(parameter.example()) + "</code>")
        .append("</td></tr>");
  }

  private void response(Operation.DeclaredResponse declared) {
    Schema schema = declared.schema();
    html.append("<tr><td>")
        .append(declared.status())
        .append("</td><td>")
        .append(prose(declared.description()))
        .append("</td><td>");
    if (schema != null) {
      html.append(declared.paged() ? "<code>data</code>: list of " : "").append(name(schema));
    }
    html.append(declared.paged() ? ", <code>meta</code>: " + name(SchemaReader.of(Meta.class)) : "")
        .append("</td></tr>");
  }

  private void type(Schema.Structure structure) {
    String name = JsonSchemas.name(structure);
    html.append("<h3 id=\"type-")
        .append(name)
        .append("\">")
        .append(name)
        .append("</h3><table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>");
    for (Schema.Member member : structure.members()) {
      html.append("<tr><td><code>")
          .append(member.name())
          .append("</code></td><td>")
          .append(name(member.schema()))
          .append(member.required() ? "" : ", optional")
          .append("</td><td>")
          .append(prose(member.description()))
          .append("</td></tr>");
    }
    html.append("</table>");
  }

  /** The name of a type, with a link to its description if it has one. */
  private String name(Schema schema) {
    if (schema instanceof Schema.Structure structure) {
      remember(structure);
      String name = JsonSchemas.name(structure);
      return "<a href=\"#type-" + name + "\">" + name + "</a>";
    }
    if (schema instanceof Schema.Partial partial) {
      return "fields of " + name(partial.whole());
    }
    if (schema instanceof Schema.Items items) {
      return "list of " + name(items.element());
    }
    if (schema instanceof Schema.AnyOf either) {
      return either.types().stream().map(this::name).collect(Collectors.joining(" or "));
    }
    if (schema instanceof Schema.Entries entries) {
      return "object with values of " + name(entries.value());
    }
    if (schema instanceof Schema.Choice choice) {
      return choice.words().stream()
          .map(word -> "<code>" + escape(word) + "</code>")
          .collect(Collectors.joining(", "));
    }
    if (schema instanceof Schema.Words) {
      return "words separated by commas";
    }
    if (schema instanceof Schema.Ruled) {
      return "text";
    }
    if (schema instanceof Schema.Scalar) {
      return "text, number or boolean";
    }
    if (schema instanceof Schema.TimeOrWord either) {
      return "time or <code>" + escape(either.word()) + "</code>";
    }
    if (schema instanceof Schema.Whole range) {
      boolean bounded = range.min() > Integer.MIN_VALUE && range.max() < Integer.MAX_VALUE;
      return bounded ? "integer from " + range.min() + " to " + range.max() : "integer";
    }
    return schema.getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  /** Adds a structure and those of its members to the section about types. */
  private void remember(Schema.Structure structure) {
    if (structures.putIfAbsent(JsonSchemas.name(structure), structure) == null) {
      structure.members().forEach(member -> name(member.schema()));
    }
  }

  /** Escapes a sentence, in which words between backquotes are code. */
  private static String prose(String text) {
    return escape(text).replaceAll("`([^`]*)`", "<code>$1</code>");
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
