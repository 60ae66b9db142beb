package io.fjordmq.broker.web;

import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Joins the ES modules of the page into one, so that a browser gets them with one request instead
 * of fifty. Each module becomes a function that runs once, after those that it imports. Modules
 * that are imported by a name rather than by a path, such as libraries, are not joined.
 *
 * <p>This is not a general bundler: every import and export must be a declaration of one line at
 * the beginning of that line, in one of the forms below. Other forms are errors.
 */
final class JoinedModules {
  /** The name under which the joined module exports all modules by their paths, for tests. */
  private static final String ALL = "modules";

  private static final Pattern DECLARATION = Pattern.compile("(?m)^(?:import|export)\\b.*$");
  private static final Pattern IMPORT =
      Pattern.compile("import (?:\\{([^}]*)}|(\\w+)) from '([^']+)';");
  private static final Pattern EXPORT_OF_IMPORT =
      Pattern.compile("export \\{([^}]*)} from '([^']+)';");
  private static final Pattern EXPORT_LIST = Pattern.compile("export \\{([^}]*)};");
  private static final Pattern EXPORT =
      Pattern.compile("export ((?:const|class|function|async function) (\\w+)\\b.*)");

  private final Map<String, String> sources;
  private final Map<String, String> libraries = new LinkedHashMap<>();
  private final Map<String, String> joined = new LinkedHashMap<>();
  private final Set<String> open = new LinkedHashSet<>();
  private final StringBuilder code = new StringBuilder();

  private JoinedModules(Map<String, String> sources) {
    this.sources = sources;
  }

  /**
   * Joins a module with those that it imports, directly or not.
   *
   * @param sources the modules by path, such as {@code lib/api.js}
   * @param main the path of the module
   * @throws IllegalStateException if a module is missing, imports itself by way of others, or has
   *     an import or export in a form that is not supported
   */
  static String join(Map<String, String> sources, String main) {
    JoinedModules modules = new JoinedModules(sources);
    modules.add(main);
    return modules.text();
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    libraries.forEach(
        (name, variable) -> text.append("import * as %s from '%s';\n".formatted(variable, name)));
    StringJoiner all = new StringJoiner(", ", "export const " + ALL + " = { ", " };\n");
    joined.forEach((path, variable) -> all.add("'" + path + "': " + variable));
    return text.append(code).append(all).toString();
  }

  /** Returns the variable that contains the exports of a module. */
  private String add(String path) {
    String known = joined.get(path);
    if (known != null) {
      return known;
    }
    String source = sources.get(path);
    if (source == null) {
      throw new IllegalStateException(
          "the web page has no module " + path + "; it is needed by " + open);
    }
    if (!open.add(path)) {
      throw new IllegalStateException("modules of the web page import each other: " + open);
    }
    List<String> exports = new ArrayList<>();
    String body =
        DECLARATION
            .matcher(source)
            .replaceAll(found -> Matcher.quoteReplacement(translate(path, found.group(), exports)));
    open.remove(path);
    String variable = "module" + joined.size();
    joined.put(path, variable);
    code.append("// ").append(path).append('\n');
    code.append("const ").append(variable).append(" = (() => {\n").append(body);
    code.append("\nreturn { ").append(String.join(", ", exports)).append(" };\n})();\n");
    return variable;
  }

  private String translate(String path, String declaration, List<String> exports) {
    Matcher found = IMPORT.matcher(declaration);
    if (found.matches()) {
      String module = find(path, found.group(3));
      return found.group(1) == null
          ? "const %s = %s.default;".formatted(found.group(2), module)
          : "const {%s} = %s;".formatted(found.group(1).replace(" as ", ": "), module);
    }
    found = EXPORT_OF_IMPORT.matcher(declaration);
    if (found.matches()) {
      String module = find(path, found.group(2));
      names(found.group(1)).forEach(name -> exports.add(name + ": " + module + "." + name));
      return "";
    }
    found = EXPORT_LIST.matcher(declaration);
    if (found.matches()) {
      exports.addAll(names(found.group(1)));
      return "";
    }
    found = EXPORT.matcher(declaration);
    if (found.matches()) {
      exports.add(found.group(2));
      return found.group(1);
    }
    throw new IllegalStateException(
        "unsupported import or export in %s of the web page: %s".formatted(path, declaration));
  }

  private String find(String importer, String name) {
    return name.startsWith(".")
        ? add(URI.create(importer).resolve(name).toString())
        : libraries.computeIfAbsent(name, key -> "library" + libraries.size());
  }

  private static List<String> names(String list) {
    return Pattern.compile("\\w+").matcher(list).results().map(name -> name.group()).toList();
  }
}
