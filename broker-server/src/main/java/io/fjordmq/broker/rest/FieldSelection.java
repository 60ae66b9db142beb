package io.fjordmq.broker.rest;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The parameter {@code fields} of a list, as in EMQX: which fields of each element the response
 * contains. Thread-safe.
 */
final class FieldSelection {
  private static final String NAME = "fields";
  private static final String ALL = "all";

  private final Json json = new Json();
  private final List<String> names;

  /**
   * @param element the type of the elements
   */
  FieldSelection(Schema.Structure element) {
    this.names = element.members().stream().map(Schema.Member::name).toList();
  }

  Parameter parameter() {
    List<String> words = new ArrayList<>(List.of(ALL));
    words.addAll(names);
    return Parameter.words(
            NAME,
            "Fields of each element, separated by commas; `all`, or no parameter, for all of them",
            words)
        .example(ALL);
  }

  /** Returns a handler whose pages have only the requested fields. */
  Operation.Handler reducing(Operation.Handler handler) {
    return request -> {
      List<String> wanted = List.of(request.text(NAME).orElse(ALL).split(","));
      return wanted.contains(ALL)
          ? handler.handle(request)
          : handler.handle(request).thenApply(response -> reduce(response, wanted));
    };
  }

  private Response reduce(Response response, List<String> wanted) {
    return response.json() instanceof Response.Page page
        ? Response.list(
            page.data().stream().map(element -> reduce(element, wanted)).toList(), page.meta())
        : response;
  }

  private Map<String, Object> reduce(Object element, List<String> wanted) {
    Map<String, Object> all = json.fields(element);
    Map<String, Object> some = new LinkedHashMap<>();
    for (String name : wanted) {
      Object value = all.get(name);
      if (value != null) {
        some.put(name, value);
      }
    }
    return some;
  }
}
