package io.fjordmq.broker.accounts;

import io.fjordmq.broker.records.RecordException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The administrator that is created if the cluster has no users.
 *
 * @param username empty for none
 * @param password the password; empty if there is a file
 * @param passwordFile file whose first line is the password; empty if password is set
 */
public record FirstAdministratorSettings(String username, String password, String passwordFile) {
  static final FirstAdministratorSettings NONE = new FirstAdministratorSettings("", "", "");
  private static final int MAX_FILE_BYTES = 4_096;

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with its name
   */
  public FirstAdministratorSettings {
    if (username.isEmpty()) {
      requireValid(
          password.isEmpty() && passwordFile.isEmpty(),
          "username must be set if password or passwordFile is set");
    } else {
      try {
        AccountRules.requireName("username", username);
        requireValid(
            password.isEmpty() != passwordFile.isEmpty(),
            "password or passwordFile must be set, and not both");
        if (!password.isEmpty()) {
          AccountRules.requirePassword("password", password);
        }
      } catch (RecordException e) {
        throw new IllegalArgumentException(e.getMessage(), e);
      }
    }
  }

  private static void requireValid(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }

  /** Returns whether an administrator is configured. */
  public boolean isConfigured() {
    return !username.isEmpty();
  }

  /**
   * Returns the password, from the file if there is one. Blocks on the disk.
   *
   * @throws IOException if the file cannot be used; the message names it
   */
  public String readPassword() throws IOException {
    if (passwordFile.isEmpty()) {
      return password;
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(Path.of(passwordFile))) {
      bytes = in.readNBytes(MAX_FILE_BYTES + 1);
    } catch (IOException e) {
      throw new IOException("cannot read " + passwordFile + ": " + e, e);
    }
    if (bytes.length > MAX_FILE_BYTES) {
      throw new IOException(passwordFile + " is larger than " + MAX_FILE_BYTES + " bytes");
    }
    String first;
    try {
      first =
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(bytes))
              .toString()
              .lines()
              .findFirst()
              .orElse("");
    } catch (CharacterCodingException e) {
      throw new IOException(passwordFile + " is not valid UTF-8", e);
    }
    try {
      AccountRules.requirePassword("the first line of " + passwordFile, first);
    } catch (RecordException e) {
      throw new IOException(e.getMessage(), e);
    }
    return first;
  }

  @Override
  public String toString() {
    return "username=" + username + ", passwordFile=" + passwordFile; // without the password
  }
}
