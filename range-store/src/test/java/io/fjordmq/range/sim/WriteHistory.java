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
 * What the clients of a simulation wrote and were told, key by key, and so what may be found there:
 * whatever the last acknowledged write left, or a later one that nobody knows the end of.
 *
 * <p>A key has one writer at a time, whose writes are applied in the order they are asked for. No
 * two of them may leave the same value.
 */
public final class WriteHistory<K, V> {
  private final Map<K, Register<V>> registers = new LinkedHashMap<>();
  private long acknowledgements;

  /** One write; its position among those of its key. */
  public record Write<K>(K key, int position) {}

  private static final class Register<V> {
    /** What each write leaves, empty if nothing; the first stands for what was before any. */
    final List<Optional<V>> values = new ArrayList<>(List.of(Optional.empty()));

    /** Positions of writes that will never be applied. */
    final List<Boolean> refused = new ArrayList<>(List.of(false));

    int acknowledged;
  }

  /**
   * A writer asks for it now.
   *
   * @param value null to remove what is there
   */
  public Write<K> ask(K key, @Nullable V value) {
    Register<V> register = registers.computeIfAbsent(key, first -> new Register<>());
    register.values.add(Optional.ofNullable(value));
    register.refused.add(false);
    return new Write<>(key, register.values.size() - 1);
  }

  /** The writer was told that it is done. */
  public void acknowledged(Write<K> write) {
    Register<V> register = register(write.key);
    register.acknowledged = Math.max(register.acknowledged, write.position);
    acknowledgements++;
  }

  /** The writer was told that it is not done and never will be. */
  public void refused(Write<K> write) {
    register(write.key).refused.set(write.position, true);
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

  /** What may be found by who must know the write at this position; empty stands for nothing. */
  public List<Optional<V>> possibleSince(K key, int position) {
    Register<V> register = registers.get(key);
    if (register == null) {
      return List.of(Optional.empty());
    }
    List<Optional<V>> possible = new ArrayList<>();
    for (int i = position; i < register.values.size(); i++) {
      if (!register.refused.get(i)) {
        possible.add(register.values.get(i));
      }
    }
    return possible;
  }

  private Register<V> register(K key) {
    Register<V> register = registers.get(key);
    if (register == null) {
      throw new IllegalArgumentException("nobody wrote to " + key);
    }
    return register;
  }
}
