package io.fjordmq.testing;

import java.io.Serializable;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds records, usually settings, by the names of their components. Constructor calls with many
 * arguments are hard to read, and each of them must be changed when a component is added.
 *
 * <pre>{@code
 * RecordBuilder.from(PeerSettings.DEFAULTS)
 *     .with(PeerSettings::connectTimeout, Duration.ofSeconds(5))
 *     .build();
 * }</pre>
 *
 * @param <R> the record
 */
public final class RecordBuilder<R extends Record> {
  private final Class<R> type;
  private final Map<String, @Nullable Object> values = new HashMap<>();

  private RecordBuilder(Class<R> type) {
    this.type = type;
  }

  /** The accessor of a component, as a method reference. */
  @FunctionalInterface
  public interface Component<R extends Record, T> extends Serializable {
    @Nullable T get(R of);
  }

  /** Starts from the values of an existing record. */
  @SuppressWarnings("unchecked") // getClass() returns the class of R
  public static <R extends Record> RecordBuilder<R> from(R template) {
    RecordBuilder<R> builder = new RecordBuilder<>((Class<R>) template.getClass());
    for (RecordComponent component : builder.type.getRecordComponents()) {
      builder.values.put(component.getName(), value(component, template));
    }
    return builder;
  }

  /** Starts without values; every component must then be set. */
  public static <R extends Record> RecordBuilder<R> of(Class<R> type) {
    return new RecordBuilder<>(type);
  }

  /**
   * Sets a component.
   *
   * @param value a number may have a narrower type than the component
   */
  public <T> RecordBuilder<R> with(Component<R, T> component, @Nullable T value) {
    values.put(name(component), value);
    return this;
  }

  /**
   * Sets the component with the given name, for names that are only known at run time.
   *
   * @throws IllegalArgumentException if there is no such component
   */
  public RecordBuilder<R> with(String component, @Nullable Object value) {
    if (Arrays.stream(type.getRecordComponents()).noneMatch(c -> c.getName().equals(component))) {
      throw new IllegalArgumentException(type.getSimpleName() + " has no component " + component);
    }
    values.put(component, value);
    return this;
  }

  /**
   * Creates the record.
   *
   * @throws IllegalStateException if a component has no value
   * @throws RuntimeException thrown by the record's constructor
   */
  public R build() {
    RecordComponent[] components = type.getRecordComponents();
    @Nullable Object[] arguments = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      String name = components[i].getName();
      if (!values.containsKey(name)) {
        throw new IllegalStateException(type.getSimpleName() + " needs a value for " + name);
      }
      arguments[i] = values.get(name);
    }
    try {
      Constructor<R> constructor =
          type.getDeclaredConstructor(
              Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
      constructor.setAccessible(true); // the record may be package-private
      return constructor.newInstance(arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException thrown) {
        throw thrown;
      }
      throw new IllegalStateException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static @Nullable Object value(RecordComponent component, Record of) {
    try {
      Method accessor = component.getAccessor();
      accessor.setAccessible(true);
      return accessor.invoke(of);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the name of the accessor, which the serialized form of a method reference contains. */
  private static String name(Component<?, ?> component) {
    try {
      Method serialized = component.getClass().getDeclaredMethod("writeReplace");
      serialized.setAccessible(true);
      return ((SerializedLambda) serialized.invoke(component)).getImplMethodName();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
