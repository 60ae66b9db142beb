package io.fjordmq.cli;

import java.security.SecureRandom;
import java.util.Base64;

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

  @Override
  public String toString() {
    return "NewPassword[isGenerated=" + isGenerated + "]";
  }
}
