package io.fjordmq.broker.rest;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Derives schemas from records by reflection. */
final class SchemaReader {
  private SchemaReader() {}

  /**
   * The schema of a record, text, number, boolean or enum.
   *
   * @throws IllegalArgumentException if a component has a type that is not supported, or no {@link
   *     Field} annotation
   */
  static Schema of(Class<?> type) {
    return of(type, null);
  }

  private static Schema of(Type type, @Nullable Field limits) {
    if (type instanceof ParameterizedType generic) {
      return ofGeneric(generic, limits);
    }
    if (!(type instanceof Class<?> plain)) {
      throw new IllegalArgumentException("unsupported type in a JSON record: " + type);
    }
    if (plain == String.class) {
      return text(limits);
    }
    if (plain == Instant.class) {
      return new Schema.Time();
    }
    if (plain == boolean.class || plain == Boolean.class) {
      return new Schema.Flag();
    }
    if (plain == double.class || plain == Double.class || plain == Number.class) {
      return new Schema.Decimal();
    }
    if (plain == int.class || plain == Integer.class) {
      return whole(limits, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }
    if (plain == long.class || plain == Long.class) {
      return whole(limits, Long.MIN_VALUE, Long.MAX_VALUE);
    }
    if (plain.isEnum()) {
      return new Schema.Choice(
          Arrays.stream(plain.getEnumConstants()).map(SchemaReader::word).toList());
    }
    if (plain.isRecord()) {
      return structure(plain.asSubclass(Record.class));
    }
    throw new IllegalArgumentException("unsupported type in a JSON record: " + type);
  }

  private static Schema ofGeneric(ParameterizedType type, @Nullable Field limits) {
    Type[] arguments = type.getActualTypeArguments();
    if (type.getRawType() == List.class) {
      return limits == null
          ? new Schema.Items(of(arguments[0], null), 0, Integer.MAX_VALUE)
          : new Schema.Items(
              ofElement(arguments[0], limits), limits.minLength(), limits.maxLength());
    }
    if (type.getRawType() == Map.class && arguments[0] == String.class) {
      return new Schema.Entries(of(arguments[1], limits));
    }
    throw new IllegalArgumentException("unsupported type in a JSON record: " + type);
  }

  /** The limits of a list are its length; the others apply to its elements. */
  private static Schema ofElement(Type type, Field limits) {
    return type == Integer.class || limits.rule() != TextRule.ANY
        ? of(type, limits)
        : of(type, null);
  }

  private static Schema text(@Nullable Field limits) {
    if (limits == null) {
      return Schema.Text.ANY;
    }
    if (limits.scalar()) {
      return new Schema.Scalar(limits.maxLength());
    }
    if (limits.rule() != TextRule.ANY) {
      return new Schema.Ruled(limits.rule());
    }
    return limits.timeOr().isEmpty()
        ? new Schema.Text(limits.minLength(), limits.maxLength(), limits.pattern())
        : new Schema.TimeOrWord(limits.timeOr());
  }

  private static Schema whole(@Nullable Field limits, long min, long max) {
    return limits == null
        ? new Schema.Whole(min, max)
        : new Schema.Whole(Math.max(min, limits.min()), Math.min(max, limits.max()));
  }

  private static Schema structure(Class<? extends Record> type) {
    List<Schema.Member> members = new ArrayList<>();
    for (RecordComponent component : type.getRecordComponents()) {
      Field field = component.getAnnotation(Field.class);
      if (field == null) {
        throw new IllegalArgumentException(
            "%s.%s has no @Field".formatted(type.getSimpleName(), component.getName()));
      }
      boolean required = !component.getAnnotatedType().isAnnotationPresent(Nullable.class);
      members.add(
          new Schema.Member(
              jsonName(component.getName()),
              field.value(),
              required,
              field.example(),
              of(component.getGenericType(), field)));
    }
    return new Schema.Structure(type, List.copyOf(members));
  }

  /** The name of a component in JSON: {@code protoVer} becomes {@code proto_ver}. */
  static String jsonName(String component) {
    StringBuilder name = new StringBuilder(component.length() + 4);
    for (char c : component.toCharArray()) {
      if (Character.isUpperCase(c)) {
        name.append('_').append(Character.toLowerCase(c));
      } else {
        name.append(c);
      }
    }
    return name.toString();
  }

  private static String word(Object constant) {
    return ((Enum<?>) constant).name().toLowerCase(Locale.ROOT);
  }
}
