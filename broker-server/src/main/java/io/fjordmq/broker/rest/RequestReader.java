package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.http.ApiCall;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Validates parameters and bodies against the declaration of the operation. Thread-safe. */
final class RequestReader {
  private static final byte[] EMPTY_OBJECT = {'{', '}'};

  private final Json json;

  RequestReader(Json json) {
    this.json = json;
  }

  /**
   * Validates a request.
   *
   * @throws ApiException 400 if the request is not valid
   */
  Request read(ApiCall call, Router.Route route, Optional<Caller> caller, byte[] body) {
    Operation operation = route.operation();
    operation
        .pathParameters()
        .forEach(
            parameter -> parameter.parse(route.variables().getOrDefault(parameter.name(), "")));
    return new Request(
        operation,
        caller,
        route.variables(),
        query(operation, call.query()),
        operation.body().map(schema -> json.read(bodyOf(operation, body), schema)).orElse(null),
        call.remoteAddress(),
        call.memory(),
        call.deadlineNanos());
  }

  private static byte[] bodyOf(Operation operation, byte[] sent) {
    return sent.length > 0 || operation.isBodyRequired() ? sent : EMPTY_OBJECT;
  }

  private static Map<String, List<Object>> query(Operation operation, String query) {
    Map<String, List<Object>> values = new HashMap<>();
    UrlDecoder.parameters(query)
        .forEach(
            (name, texts) -> {
              Parameter parameter = operation.queryParameter(name);
              if (parameter == null) {
                throw ApiException.badRequest(
                    "unknown query parameter '%s'%s"
                        .formatted(Excerpt.of(name), NearestName.hint(name, names(operation))));
              }
              if (texts.size() > 1 && !parameter.isRepeatable()) {
                throw ApiException.badRequest(name + " must not occur more than once");
              }
              values.put(name, texts.stream().map(parameter::parse).toList());
            });
    for (Parameter parameter : operation.queryParameters()) {
      if (parameter.isRequired() && !values.containsKey(parameter.name())) {
        throw ApiException.badRequest("the query parameter " + parameter.name() + " is missing");
      }
    }
    return values;
  }

  private static List<String> names(Operation operation) {
    return operation.queryParameters().stream().map(Parameter::name).toList();
  }

  /**
   * Checks the type of the body.
   *
   * @throws ApiException 415 if it is not JSON
   */
  static void requireJson(ApiCall call) {
    if (!call.contentType().map(RequestReader::isJson).orElse(false)) {
      throw new ApiException(
          ErrorCode.UNSUPPORTED_MEDIA_TYPE,
          "the body must be JSON; send the header Content-Type: application/json");
    }
  }

  private static boolean isJson(String contentType) {
    String[] parts = contentType.toLowerCase(Locale.ROOT).split(";");
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].strip().replace("\"", "");
      if (parameter.startsWith("charset=") && !parameter.equals("charset=utf-8")) {
        return false;
      }
    }
    return parts[0].strip().equals("application/json");
  }
}
