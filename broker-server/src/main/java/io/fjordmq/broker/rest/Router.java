package io.fjordmq.broker.rest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Finds the operation for a request. Immutable. */
final class Router {
  /** An operation and the values of the variables of its path. */
  record Route(Operation operation, Map<String, String> variables) {}

  private record Path(PathTemplate template, Map<Operation.Method, Operation> operations) {}

  private final List<Path> paths;

  /**
   * @throws IllegalStateException if two operations have the same id, or the same method and path
   */
  Router(List<Operation> operations) {
    Map<List<String>, Path> byShape = new HashMap<>();
    Set<String> ids = new HashSet<>();
    for (Operation operation : operations) {
      PathTemplate template = PathTemplate.of(operation.path());
      Path path =
          byShape.computeIfAbsent(template.shape(), first -> new Path(template, new TreeMap<>()));
      if (!ids.add(operation.id())
          || path.operations.putIfAbsent(operation.method(), operation) != null) {
        throw new IllegalStateException(operation + " or its id is declared twice");
      }
    }
    List<Path> sorted = new ArrayList<>(byShape.values());
    sorted.sort(
        Comparator.comparingLong(path -> path.template.variables())); // literal segments first
    this.paths = List.copyOf(sorted);
  }

  /**
   * Finds the operation for a request.
   *
   * @param path the decoded segments of the path below {@code /api/v5}
   * @throws ApiException 404 if no operation has the path, 405 if the path has no operation with
   *     the method
   */
  Route find(String method, List<String> path) {
    for (Path candidate : paths) {
      Optional<Map<String, String>> variables = candidate.template.match(path);
      if (variables.isPresent()) {
        return new Route(operation(candidate, method), variables.get());
      }
    }
    throw ApiException.notFound("the path does not exist; /api-docs lists all paths");
  }

  private static Operation operation(Path path, String method) {
    for (Operation operation : path.operations.values()) {
      if (operation.method().name().equals(method)
          || (method.equals("HEAD") && operation.method() == Operation.Method.GET)) {
        return operation;
      }
    }
    List<String> allowed = new ArrayList<>();
    for (Operation.Method one : path.operations.keySet()) {
      allowed.add(one.name());
      if (one == Operation.Method.GET) {
        allowed.add("HEAD");
      }
    }
    String list = String.join(", ", allowed);
    throw new ApiException(
        ErrorCode.METHOD_NOT_ALLOWED,
        "method not allowed on this path; allowed methods: " + list,
        Map.of("Allow", list));
  }
}
