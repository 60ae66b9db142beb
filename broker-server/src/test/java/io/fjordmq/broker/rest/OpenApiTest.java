package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.accounts.Role;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The description is derived from the declarations, and incomplete declarations are rejected. */
class OpenApiTest {
  record Leaf(
      @Field(value = "Text", maxLength = 9, pattern = "[a-z]+", example = "abc") String text) {}

  record TreeJson(
      @Field("Leaves") List<Leaf> leaves,
      @Field(value = "Height", min = 1) @Nullable Long height) {}

  record Undescribed(String name) {}

  record RuledJson(
      @Field(value = "Topic", rule = TextRule.TOPIC) String topic,
      @Field(value = "Labels", rule = TextRule.WITHOUT_NUL) Map<String, String> labels) {}

  private static Operation operation(Operation.Builder builder, String id) {
    return builder
        .id(id)
        .tag("Trees")
        .summary("Do something")
        .handler(request -> CompletableFuture.completedFuture(Response.noContent()));
  }

  private static JsonNode describe(Operation... operations) {
    return JsonMapper.shared().valueToTree(new OpenApi(List.of(operations), "1.0").tree());
  }

  @Test
  void shouldDescribeParametersAndPages() {
    JsonNode list =
        describe(
                operation(
                    Operation.get("/trees")
                        .role(Role.VIEWER)
                        .query(Parameter.text("name", "Names").repeatable())
                        .query(Parameter.time("since", "Since").mandatory())
                        .paged()
                        .okList(TreeJson.class),
                    "listTrees"))
            .at("/paths/~1trees/get");
    assertThat(list.get("operationId").asString()).isEqualTo("listTrees");
    assertThat(list.get("description").asString()).isEqualTo("Requires the role `viewer`.");
    assertThat(list.at("/parameters/0/schema/type").asString()).isEqualTo("array");
    assertThat(list.at("/parameters/0/schema/items/type").asString()).isEqualTo("string");
    assertThat(list.at("/parameters/1/required").asBoolean()).isTrue();
    assertThat(list.at("/parameters/3/schema").toString())
        .isEqualTo("{\"type\":\"integer\",\"minimum\":1,\"maximum\":10000,\"default\":100}");
    assertThat(
            list.at("/responses/200/content/application~1json/schema/properties/data/items/$ref"))
        .hasToString("\"#/components/schemas/Tree\"");
    assertThat(list.get("responses").propertyNames())
        .containsExactly("200", "400", "401", "403", "429", "500", "503", "504");
  }

  record OptionsJson(
      @Field(value = "Values", maxLength = 9, scalar = true) Map<String, String> values) {}

  @Test
  void shouldDescribeWhatIsOptional() {
    JsonNode tree =
        describe(
            operation(
                Operation.post("/trees/start")
                    .role(Role.OPERATOR)
                    .optionalBody(OptionsJson.class)
                    .noContent(),
                "startTree"),
            operation(
                Operation.get("/leaves").role(Role.VIEWER).paged().okListOfFields(Leaf.class),
                "listLeaves"));
    assertThat(tree.at("/paths/~1trees~1start/post/requestBody/required").asBoolean()).isFalse();
    assertThat(
            tree.at("/components/schemas/Options/properties/values/additionalProperties")
                .toString())
        .isEqualTo("{\"type\":[\"string\",\"number\",\"boolean\"],\"maxLength\":9}");
    JsonNode element =
        tree.at(
            "/paths/~1leaves/get/responses/200/content/application~1json/schema/properties/data"
                + "/items");
    assertThat(element.at("/properties/text/type").asString()).isEqualTo("string");
    assertThat(element.has("required")).isFalse();
  }

  @Test
  void shouldDescribeRulesAsPatterns() {
    JsonNode tree =
        describe(
            operation(
                Operation.post("/trees")
                    .role(Role.OPERATOR)
                    .query(Parameter.text("topic", "Topic", TextRule.TOPIC))
                    .body(RuledJson.class)
                    .noContent(),
                "createTree"));
    String topic = "^(?:[^+#\\u0000]+)$";
    String text = "^(?:[^\\u0000]*)$";
    JsonNode parameter = tree.at("/paths/~1trees/post/parameters/0/schema");
    assertThat(parameter.get("pattern").asString()).isEqualTo(topic);
    JsonNode ruled = tree.at("/components/schemas/Ruled/properties");
    assertThat(ruled.at("/topic/pattern").asString()).isEqualTo(topic);
    assertThat(ruled.at("/labels/propertyNames/pattern").asString()).isEqualTo(text);
    assertThat(ruled.at("/labels/additionalProperties/pattern").asString()).isEqualTo(text);
  }

  @Test
  void shouldDescribeBodiesAsClosed() {
    JsonNode tree =
        describe(
            operation(Operation.get("/leaf").role(Role.VIEWER).ok(Leaf.class), "showLeaf"),
            operation(
                Operation.put("/trees/{tree}")
                    .path("tree", "Name")
                    .role(Role.OPERATOR)
                    .body(TreeJson.class)
                    .noContent()
                    .conflict("It is cut"),
                "putTree"));
    assertThat(tree.at("/components/schemas/Tree").toString())
        .isEqualTo(
            "{\"type\":\"object\",\"properties\":{\"leaves\":{\"type\":\"array\",\"items\":"
                + "{\"$ref\":\"#/components/schemas/Leaf\"},\"description\":\"Leaves\"},"
                + "\"height\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"Height\"}},"
                + "\"required\":[\"leaves\"],\"additionalProperties\":false}");
    assertThat(tree.at("/components/schemas/Leaf/additionalProperties").asBoolean()).isFalse();
    assertThat(tree.at("/components/schemas/Leaf/properties/text").toString())
        .isEqualTo(
            "{\"type\":\"string\",\"maxLength\":9,\"pattern\":\"^(?:[a-z]+)$\","
                + "\"description\":\"Text\",\"examples\":[\"abc\"]}");
    assertThat(tree.at("/paths/~1trees~1{tree}/put/responses").propertyNames())
        .contains("204", "409", "413", "415");
  }

  @Test
  void shouldAskForNoCredentialsWhereNoneAreNeeded() {
    JsonNode login =
        describe(operation(Operation.post("/login").anonymous().noContent(), "login"))
            .at("/paths/~1login/post");
    assertThat(login.get("security")).isEmpty();
    assertThat(login.get("responses").has("401")).isFalse();
  }

  @Test
  void shouldRejectIncompleteDeclarations() {
    assertThatThrownBy(() -> operation(Operation.get("/a").noContent(), "a"))
        .hasMessageContaining("GET /a: needs either role(…) or anonymous()");
    assertThatThrownBy(() -> operation(Operation.get("/a").role(Role.VIEWER), "a"))
        .hasMessageContaining("no success declared");
    assertThatThrownBy(() -> operation(Operation.get("/a").role(Role.VIEWER).noContent(), ""))
        .hasMessageContaining("id, tag or summary missing");
    assertThatThrownBy(() -> operation(Operation.get("/{a}").role(Role.VIEWER).noContent(), "a"))
        .hasMessageContaining("must describe the variables of the path");
    assertThatThrownBy(() -> Operation.get("/a").ok(Undescribed.class))
        .hasMessageContaining("Undescribed.name has no @Field");
  }

  @Test
  void shouldRejectOperationsThatAreDeclaredTwice() {
    Operation one =
        operation(Operation.get("/a/{x}").path("x", "X").anonymous().noContent(), "one");
    Operation same =
        operation(Operation.get("/a/{y}").path("y", "Y").anonymous().noContent(), "two");
    assertThatThrownBy(() -> new Router(List.of(one, same)))
        .hasMessageContaining("GET /a/{y} or its id is declared twice");
  }
}
