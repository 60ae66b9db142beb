package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One operation of the API, declared once: routing, validation, authorization and the OpenAPI
 * description are derived from it. Immutable.
 */
public final class Operation {
  private static final String CURSOR =
      "Where the page starts: `meta.cursor` of the previous page. Replaces `page`.";

  /** Estimated memory of a row on a page: the row itself, its objects and its JSON. */
  private static final long ROW_BYTES = 2_048;

  private static final Pattern VARIABLE = Pattern.compile("\\{([a-z_]+)}");

  /** Carries out an operation. */
  @FunctionalInterface
  public interface Handler {
    /**
     * Carries out a valid request of an authorized caller. Runs on a thread of the API and must not
     * block.
     *
     * @return completes on any thread, with the response or with an {@link ApiException}
     * @throws ApiException if the request fails immediately
     */
    CompletableFuture<Response> handle(Request request);
  }

  /** The method of a request. */
  enum Method {
    GET,
    POST,
    PUT,
    DELETE
  }

  /**
   * A response in the description.
   *
   * @param schema the type of the body; null for none
   */
  record DeclaredResponse(int status, String description, @Nullable Schema schema, boolean paged) {}

  private final Builder declared;
  private final Handler handler;
  private final Map<String, Parameter> queryParametersByName = new HashMap<>();

  private Operation(Builder declared, Handler handler) {
    this.declared = declared;
    this.handler = handler;
    declared.queryParameters.forEach(
        parameter -> queryParametersByName.putIfAbsent(parameter.name(), parameter));
  }

  /**
   * Begins the declaration of an operation that changes nothing.
   *
   * @param path the path below {@code /api/v5}, with variables: {@code /nodes/{node}}
   */
  public static Builder get(String path) {
    return new Builder(Method.GET, path);
  }

  /** Begins the declaration of an operation that creates or does something. */
  public static Builder post(String path) {
    return new Builder(Method.POST, path);
  }

  /** Begins the declaration of an operation that replaces something. */
  public static Builder put(String path) {
    return new Builder(Method.PUT, path);
  }

  /** Begins the declaration of an operation that deletes something. */
  public static Builder delete(String path) {
    return new Builder(Method.DELETE, path);
  }

  Method method() {
    return declared.method;
  }

  String path() {
    return declared.path;
  }

  String id() {
    return declared.id;
  }

  String tag() {
    return declared.tag;
  }

  String summary() {
    return declared.summary;
  }

  String description() {
    return declared.description;
  }

  /** The role that callers need; empty if anyone may call the operation. */
  Optional<Role> role() {
    return Optional.ofNullable(declared.role);
  }

  /** Whether the audit log records requests that change nothing. */
  boolean isAudited() {
    return declared.audited;
  }

  /** Whether callers that are bound to a tenant may call the operation. */
  boolean isForTenants() {
    return declared.tenants;
  }

  List<Parameter> pathParameters() {
    return declared.pathParameters;
  }

  List<Parameter> queryParameters() {
    return declared.queryParameters;
  }

  /** The parameter of the query with a name; null if the operation does not declare it. */
  @Nullable Parameter queryParameter(String name) {
    return queryParametersByName.get(name);
  }

  /** The estimated memory in bytes that a request needs, without its body. */
  long memory(Request request) {
    return declared.memory.applyAsLong(request);
  }

  /** The name of the request's target in the audit log. */
  String target(Request request) {
    return declared.target.apply(request);
  }

  /** The type of the body; empty if the operation has none. */
  Optional<Schema> body() {
    return Optional.ofNullable(declared.body);
  }

  /** Whether a request needs a body if the operation has one. */
  boolean isBodyRequired() {
    return !declared.bodyOptional;
  }

  List<DeclaredResponse> responses() {
    return declared.responses;
  }

  Handler handler() {
    return handler;
  }

  private static String pathVariables(Request request) {
    return request.operation().pathParameters().stream()
        .map(parameter -> request.path(parameter.name()))
        .collect(Collectors.joining(" "));
  }

  @Override
  public String toString() {
    return declared.method + " " + declared.path;
  }

  /** The declaration of an operation; {@link #handler} completes it. */
  public static final class Builder {
    private final Method method;
    private final String path;
    private final List<Parameter> pathParameters = new ArrayList<>();
    private final List<Parameter> queryParameters = new ArrayList<>();
    private final List<DeclaredResponse> responses = new ArrayList<>();
    private String id = "";
    private String tag = "";
    private String summary = "";
    private String description = "";
    private @Nullable Role role;
    private boolean anonymous;
    private boolean tenants;
    private boolean audited;
    private @Nullable Schema body;
    private boolean bodyOptional;
    private @Nullable FieldSelection selection;
    private Function<Request, String> target = Operation::pathVariables;
    private ToLongFunction<Request> memory = request -> ROW_BYTES;

    private Builder(Method method, String path) {
      this.method = method;
      this.path = path;
    }

    /** The unique name of the operation, such as {@code showNode}. */
    public Builder id(String value) {
      id = value;
      return this;
    }

    /** The group of the operation in the documentation, such as {@code Nodes}. */
    public Builder tag(String value) {
      tag = value;
      return this;
    }

    /** A short summary of the operation, without a period. */
    public Builder summary(String value) {
      summary = value;
      return this;
    }

    /** Details beyond the summary, in full sentences. */
    public Builder description(String value) {
      description = value;
      return this;
    }

    /** The minimum role that callers need. */
    public Builder role(Role value) {
      role = value;
      return this;
    }

    /** Lets anyone call the operation, without credentials. */
    public Builder anonymous() {
      anonymous = true;
      return this;
    }

    /**
     * Lets callers that are bound to a tenant call the operation. Its handler must confine them to
     * {@link Request#tenant}. Other operations are forbidden to them.
     */
    public Builder tenants() {
      tenants = true;
      return this;
    }

    /**
     * Lets the audit log record the first page of a list, because it discloses data of clients in
     * bulk.
     */
    public Builder audited() {
      audited = true;
      return this;
    }

    /**
     * The name of the request's target in the audit log. Without this declaration, it is the
     * variables of the path.
     */
    public Builder target(Function<Request, String> value) {
      target = value;
      return this;
    }

    /**
     * The estimated memory in bytes that a request needs, without its body. Without this
     * declaration, it is proportional to the number of rows per page.
     */
    public Builder memory(ToLongFunction<Request> value) {
      memory = value;
      return this;
    }

    /** Describes a variable of the path. */
    public Builder path(String name, String text) {
      return path(Parameter.text(name, text));
    }

    /** Describes a variable of the path. */
    public Builder path(Parameter parameter) {
      pathParameters.add(parameter.mandatory());
      return this;
    }

    /** Adds a parameter of the query. */
    public Builder query(Parameter parameter) {
      queryParameters.add(parameter);
      return this;
    }

    /** Adds the parameters of a list: {@code page}, {@code limit} and {@code cursor}. */
    public Builder paged() {
      return paged(Parameter.text("cursor", CURSOR));
    }

    /** The same for a list whose cursors match a regular expression. */
    public Builder paged(String cursorPattern, int maxLength) {
      return paged(Parameter.text("cursor", CURSOR, cursorPattern, maxLength));
    }

    /** The same for a list whose page numbers are limited by {@link Paging#MAX_OFFSET}. */
    Builder paged(TextRule cursors) {
      notFound("The page starts beyond element 100,000; use `cursor`");
      return paged(Parameter.text("cursor", CURSOR, cursors));
    }

    private Builder paged(Parameter cursor) {
      query(Parameter.number("page", "Page number", 1, Paging.MAX_OFFSET + 1).orElse(1));
      query(
          Parameter.number("limit", "Maximum number of elements per page", 1, Paging.MAX_LIMIT)
              .orElse(Paging.DEFAULT_LIMIT));
      memory(request -> ROW_BYTES * request.paging().limit());
      return query(cursor);
    }

    /** The body is a JSON object; see {@link Request#body}. */
    public Builder body(Class<? extends Record> type) {
      body = SchemaReader.of(type);
      return this;
    }

    /**
     * The same, but a request without a body is valid; it has no effect other than an empty object.
     */
    public Builder optionalBody(Class<? extends Record> type) {
      bodyOptional = true;
      return body(type);
    }

    /**
     * The body is a JSON array of objects or texts; see {@link Request#bodyList}.
     *
     * @param maxLength the maximum number of elements; there must be at least one
     */
    public Builder bodyList(Class<?> element, int maxLength) {
      body = new Schema.Items(SchemaReader.of(element), 1, maxLength);
      return this;
    }

    /** The response is 200 with an object. */
    public Builder ok(Class<? extends Record> type) {
      return response(200, "Success", type);
    }

    /** The response is 200 with a JSON array, as {@link Response#ok} returns it for a list. */
    public Builder okArray(Class<?> element) {
      responses.add(
          new DeclaredResponse(
              200,
              "Success",
              new Schema.Items(SchemaReader.of(element), 0, Integer.MAX_VALUE),
              false));
      return this;
    }

    /** The response is 200 with JSON that a schema describes. */
    Builder ok(Schema schema) {
      responses.add(new DeclaredResponse(200, "Success", schema, false));
      return this;
    }

    /** The response can have this status, with a JSON array. */
    public Builder responseArray(int status, String when, Class<?> element) {
      responses.add(
          new DeclaredResponse(
              status,
              when,
              new Schema.Items(SchemaReader.of(element), 0, Integer.MAX_VALUE),
              false));
      return this;
    }

    /** The response is 200 with one page of a list; see {@link Response#list}. */
    public Builder okList(Class<?> element) {
      responses.add(new DeclaredResponse(200, "One page", SchemaReader.of(element), true));
      return this;
    }

    /**
     * The response is 200 with one page of a list, whose elements have only the requested fields:
     * the operation has the parameter {@code fields}.
     */
    public Builder okListOfFields(Class<? extends Record> element) {
      Schema.Structure structure = (Schema.Structure) SchemaReader.of(element);
      FieldSelection fields = new FieldSelection(structure);
      selection = fields;
      query(fields.parameter());
      responses.add(new DeclaredResponse(200, "One page", new Schema.Partial(structure), true));
      return this;
    }

    /** The response is 200 with plain text; see {@link Response#text}. */
    public Builder okText() {
      responses.add(new DeclaredResponse(200, "Success", Schema.Text.ANY, false));
      return this;
    }

    /** The response is 201 with an object. */
    public Builder created(Class<? extends Record> type) {
      return response(201, "Created", type);
    }

    /** The response is 204 without content. */
    public Builder noContent() {
      responses.add(new DeclaredResponse(204, "Success", null, false));
      return this;
    }

    /** The response can be 404. */
    public Builder notFound(String when) {
      return error(404, when);
    }

    /** The response can be 409. */
    public Builder conflict(String when) {
      return error(409, when);
    }

    /** The response can be an error with this status. */
    public Builder error(int status, String when) {
      return response(status, when, ErrorBody.class);
    }

    /** The response can have this status, with an object. */
    public Builder response(int status, String when, Class<? extends Record> type) {
      responses.add(new DeclaredResponse(status, when, SchemaReader.of(type), false));
      return this;
    }

    /**
     * Completes the declaration.
     *
     * @throws IllegalStateException if it is incomplete
     */
    public Operation handler(Handler handler) {
      require(!id.isEmpty() && !tag.isEmpty() && !summary.isEmpty(), "id, tag or summary missing");
      require(anonymous != (role != null), "needs either role(…) or anonymous()");
      require(
          responses.stream().anyMatch(response -> response.status < 300), "no success declared");
      List<String> variables = new ArrayList<>();
      Matcher matcher = VARIABLE.matcher(path);
      while (matcher.find()) {
        variables.add(matcher.group(1));
      }
      require(
          variables.equals(pathParameters.stream().map(Parameter::name).toList()),
          "path(…) must describe the variables of the path, in their order");
      FieldSelection fields = selection;
      return new Operation(this, fields == null ? handler : fields.reducing(handler));
    }

    private void require(boolean met, String fault) {
      if (!met) {
        throw new IllegalStateException(method + " " + path + ": " + fault);
      }
    }
  }
}
