package io.fjordmq.range.sim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The writes of the clients of a simulation and their outcomes, by key, and hence the values that a
 * read may return: that of the last acknowledged write, or of a later one whose outcome is unknown.
 *
 * <p>A key has one writer at a time, whose writes are applied in the order of the calls. No two of
 * them may write the same value.
 */
public final class WriteHistory<K, V> {
  private final Map<K, Register<V>> registers = new LinkedHashMap<>();
  private long acknowledgements;

  /** One write and its position among the writes of its key. */
  public record Write<K>(K key, int position) {}

  private static final class Register<V> {
    /** The value after each write, empty if it removes the key; the first is the initial state. */
    final List<Optional<V>> values = new ArrayList<>(List.of(Optional.empty()));

    /** Whether each write was rejected, so that it will never be applied. */
    final List<Boolean> rejected = new ArrayList<>(List.of(false));

    int acknowledged;
  }

  /**
   * Records that a writer starts a write.
   *
   * @param value null to remove the key
   */
  public Write<K> begin(K key, @Nullable V value) {
    Register<V> register = registers.computeIfAbsent(key, first -> new Register<>());
    register.values.add(Optional.ofNullable(value));
    register.rejected.add(false);
    return new Write<>(key, register.values.size() - 1);
  }

  /** Records that the write was acknowledged. */
  public void onAcknowledged(Write<K> write) {
    Register<V> register = register(write.key);
    register.acknowledged = Math.max(register.acknowledged, write.position);
    acknowledgements++;
  }

  /** Records that the write was rejected and will never be applied. */
  public void onRejected(Write<K> write) {
    register(write.key).rejected.set(write.position, true);
  }

  /** In the order of their first writes. */
  public Set<K> keys() {
    return Collections.unmodifiableSet(registers.keySet());
  }

  public long acknowledgements() {
    return acknowledgements;
  }

  /** Position of the last acknowledged write; 0 if there is none. */
  public int lastAcknowledged(K key) {
    Register<V> register = registers.get(key);
    return register == null ? 0 : register.acknowledged;
  }

  /**
   * The values that a reader may see that must see the write at this position; empty stands for no
   * value.
   */
  public List<Optional<V>> possibleValues(K key, int position) {
    Register<V> register = registers.get(key);
    if (register == null) {
      return List.of(Optional.empty());
    }
    List<Optional<V>> possible = new ArrayList<>();
    for (int i = position; i < register.values.size(); i++) {
      if (!register.rejected.get(i)) {
        possible.add(register.values.get(i));
      }
    }
    return possible;
  }

  private Register<V> register(K key) {
    Register<V> register = registers.get(key);
    if (register == null) {
      throw new IllegalArgumentException("no write to " + key);
    }
    return register;
  }
}
