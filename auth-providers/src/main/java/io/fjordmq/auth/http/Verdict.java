package io.fjordmq.auth.http;

import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.plugin.Decision;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The decision that a response contains.
 *
 * @param detail the reason, for operators
 * @param fields the JSON object; empty if there is none
 * @param failed whether the service reported an error
 */
record Verdict(Decision result, String detail, Map<String, Object> fields, boolean failed) {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /**
   * Reads a response.
   *
   * @throws ProviderException if the status shows that the service does not work
   * @throws IllegalArgumentException if the body does not follow the contract; the message says why
   */
  static Verdict of(HttpService.Response response, boolean emqx4) throws ProviderException {
    int status = response.status();
    String text = "HTTP status " + status;
    return emqx4 ? ofStatus(status, text, response.body()) : ofBody(status, text, response.body());
  }

  private static Verdict ofStatus(int status, String text, byte[] body) throws ProviderException {
    if (status == 200) {
      boolean ignored = new String(body, StandardCharsets.UTF_8).strip().equals("ignore");
      return new Verdict(ignored ? Decision.PASS : Decision.ALLOW, text, Map.of(), false);
    }
    if (status >= 400 && status < 500) {
      return new Verdict(Decision.DENY, text, Map.of(), false);
    }
    throw new ProviderException("unexpected " + text, false, null);
  }

  private static Verdict ofBody(int status, String text, byte[] body) throws ProviderException {
    if (status == 204) {
      return new Verdict(Decision.ALLOW, text, Map.of(), false);
    }
    if (status >= 400) {
      return new Verdict(Decision.PASS, text, Map.of(), status >= 500);
    }
    if (status != 200) {
      throw new ProviderException("unexpected " + text, false, null);
    }
    Map<String, Object> fields;
    try {
      @SuppressWarnings("unchecked") // a JSON object has text as names
      Map<String, Object> read = JSON.readValue(body, Map.class);
      fields = read;
    } catch (JacksonException e) {
      throw new IllegalArgumentException("the body is not a JSON object", e);
    }
    if (fields == null) {
      throw new IllegalArgumentException("the body is not a JSON object");
    }
    Object result = fields.get("result");
    Decision decision =
        switch (String.valueOf(result)) {
          case "allow" -> Decision.ALLOW;
          case "deny" -> Decision.DENY;
          case "ignore" -> Decision.PASS;
          default ->
              throw new IllegalArgumentException(
                  "result must be allow, deny or ignore, not " + result);
        };
    return new Verdict(decision, text + ", result " + result, fields, false);
  }
}
