package io.fjordmq.broker.security;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Remembers users whose last password was correct, so that reconnecting devices do not each wait
 * for a slow password hash. For each user, it stores an HMAC of the user name, the password and the
 * password file entry, so an entry that has changed no longer matches. The HMAC key exists only in
 * this process. The least recently used user is evicted. Thread-safe.
 */
final class LoginCache {
  private static final String HMAC = "HmacSHA256";

  private final SecretKeySpec key;
  private final Map<String, byte[]> byUser;

  LoginCache(int max) {
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    key = new SecretKeySpec(secret, HMAC);
    byUser =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, byte[]> eldest) {
            return size() > max;
          }
        };
  }

  boolean isKnown(String user, byte[] password, PasswordHash entry) {
    @Nullable byte[] known;
    synchronized (byUser) {
      known = byUser.get(user);
    }
    return known != null && MessageDigest.isEqual(known, mac(user, password, entry));
  }

  void remember(String user, byte[] password, PasswordHash entry) {
    byte[] mac = mac(user, password, entry);
    synchronized (byUser) {
      byUser.put(user, mac);
    }
  }

  private byte[] mac(String user, byte[] password, PasswordHash entry) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(key);
      // User and password are separated by a byte that does not occur in UTF-8; the other fields
      // have known lengths.
      mac.update(entry.text().getBytes(StandardCharsets.UTF_8));
      mac.update((byte) 0xFF);
      mac.update(user.getBytes(StandardCharsets.UTF_8));
      mac.update((byte) 0xFF);
      return mac.doFinal(password);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK must provide " + HMAC, e);
    }
  }
}
