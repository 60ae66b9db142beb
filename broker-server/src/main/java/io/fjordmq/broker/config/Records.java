package io.fjordmq.broker.config;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and creates records by reflection. Remembers the components and constructors of their
 * classes: looking them up takes much longer than using them, and there may be a thousand tenants.
 * Not thread-safe.
 */
final class Records {
  private final Map<Class<?>, List<Component>> components = new HashMap<>();
  private final Map<Class<?>, Constructor<?>> constructors = new HashMap<>();

  /** A component of a record class. */
  record Component(String name, Class<?> type, boolean isFlattened, Method accessor) {
    private static Component of(RecordComponent component) {
      Method accessor = component.getAccessor();
      accessor.setAccessible(true);
      return new Component(
          component.getName(),
          component.getType(),
          component.isAnnotationPresent(Flattened.class),
          accessor);
    }

    Object read(Record record) {
      try {
        return accessor.invoke(record);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("cannot read " + accessor, e);
      }
    }
  }

  /** The components of a record class, in order. */
  List<Component> components(Class<? extends Record> type) {
    return components.computeIfAbsent(type, Records::read);
  }

  private static List<Component> read(Class<?> type) {
    List<Component> all = new ArrayList<>();
    for (RecordComponent component : type.getRecordComponents()) {
      all.add(Component.of(component));
    }
    return List.copyOf(all);
  }

  static Object read(Record record, RecordComponent component) {
    return Component.of(component).read(record);
  }

  /**
   * Creates a record by calling its canonical constructor.
   *
   * @throws IllegalArgumentException if the constructor rejects a value; the message begins with
   *     the component's name
   */
  Record create(Class<? extends Record> type, @Nullable Object[] values) {
    try {
      return (Record) constructors.computeIfAbsent(type, Records::constructor).newInstance(values);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IllegalArgumentException refused) {
        throw refused;
      }
      throw new IllegalStateException("cannot create a " + type.getSimpleName(), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot create a " + type.getSimpleName(), e);
    }
  }

  private static Constructor<?> constructor(Class<?> type) {
    Class<?>[] types =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      Constructor<?> constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor;
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("cannot create a " + type.getSimpleName(), e);
    }
  }
}
