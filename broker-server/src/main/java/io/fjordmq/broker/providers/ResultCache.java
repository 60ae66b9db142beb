package io.fjordmq.broker.providers;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Results of a provider, by a keyed hash of what they depend on: keys can contain passwords. The
 * key of the hash exists only in this process. Results that allow and results that do not are
 * bounded separately, so that guessed passwords do not evict the results for valid ones; the least
 * recently used result is evicted. Thread-safe.
 *
 * @param <V> the results
 */
final class ResultCache<V> {
  private static final String HMAC = "HmacSHA256";

  /** The key of a result, and the state of the cache when the result was requested. */
  record Slot(ByteBuffer key, long generation) {}

  private record CachedResult<V>(V result, long expiresAtNanos) {}

  private final LongSupplier nanoTime;
  private final SecretKeySpec secret;
  private final Map<ByteBuffer, CachedResult<V>> positive;
  private final Map<ByteBuffer, CachedResult<V>> negative;
  private long generation;

  /**
   * @param max maximum number of results of each kind
   */
  ResultCache(int max, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    secret = new SecretKeySpec(random, HMAC);
    positive = bounded(max);
    negative = bounded(max);
  }

  private static <V> Map<ByteBuffer, CachedResult<V>> bounded(int max) {
    return new LinkedHashMap<>(16, 0.75f, true) {
      @Override
      protected boolean removeEldestEntry(Map.Entry<ByteBuffer, CachedResult<V>> eldest) {
        return size() > max;
      }
    };
  }

  /** Returns where the result for a key is stored. */
  Slot slot(String key) {
    ByteBuffer hash;
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(secret);
      hash = ByteBuffer.wrap(mac.doFinal(key.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK must provide " + HMAC, e);
    }
    synchronized (this) {
      return new Slot(hash, generation);
    }
  }

  /** Returns a stored result; null if there is none or it has expired. */
  synchronized @Nullable V find(Slot slot) {
    V known = find(positive, slot);
    return known == null ? find(negative, slot) : known;
  }

  private @Nullable V find(Map<ByteBuffer, CachedResult<V>> entries, Slot slot) {
    CachedResult<V> entry = entries.get(slot.key);
    if (entry == null) {
      return null;
    }
    if (nanoTime.getAsLong() - entry.expiresAtNanos >= 0) {
      entries.remove(slot.key);
      return null;
    }
    return entry.result;
  }

  /**
   * Stores a result, unless the cache was cleared after the slot was created.
   *
   * @param nanos how long the result is valid; not stored if this is not positive
   */
  synchronized void put(Slot slot, V result, boolean isPositive, long nanos) {
    if (nanos <= 0 || slot.generation != generation) {
      return;
    }
    positive.remove(slot.key);
    negative.remove(slot.key);
    (isPositive ? positive : negative)
        .put(slot.key, new CachedResult<>(result, nanoTime.getAsLong() + nanos));
  }

  /** Removes all results, and ignores those that were requested before. */
  synchronized void clear() {
    generation++;
    positive.clear();
    negative.clear();
  }

  synchronized int size() {
    return positive.size() + negative.size();
  }
}
