package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiReply;
import io.fjordmq.cli.api.Json;
import java.security.SecureRandom;
import java.util.Base64;
import tools.jackson.databind.node.ObjectNode;

/**
 * The password of a new user.
 *
 * @param isGenerated whether nobody chose the password, so that it must be shown
 */
record NewPassword(String text, boolean isGenerated) {
  private static final int RANDOM_BYTES = 15; // 120 bits, 20 characters

  static NewPassword chosen(String text) {
    return new NewPassword(text, false);
  }

  static NewPassword generate() {
    byte[] random = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(random);
    return new NewPassword(Base64.getUrlEncoder().withoutPadding().encodeToString(random), true);
  }

  /** Adds the generated password to the response, because it is shown only once. */
  ApiReply addTo(ApiReply reply) {
    ObjectNode user = Json.object();
    reply.json().properties().forEach(field -> user.set(field.getKey(), field.getValue()));
    user.put("password", text);
    return new ApiReply(reply.status(), user.toString(), user);
  }

  @Override
  public String toString() {
    return "NewPassword[isGenerated=" + isGenerated + "]";
  }
}
