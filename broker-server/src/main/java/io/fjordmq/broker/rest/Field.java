package io.fjordmq.broker.rest;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Describes a component of a record that is a JSON body. The JSON name is the name of the component
 * in snake case. Components marked with {@code @Nullable} are optional; all others are required.
 */
@Documented
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.RUNTIME)
public @interface Field {
  /** The meaning of the component, with its unit. */
  String value();

  /** The minimum of a number, or of the numbers in a list. */
  long min() default Long.MIN_VALUE;

  /** The maximum of a number, or of the numbers in a list. */
  long max() default Long.MAX_VALUE;

  /** The minimum number of characters of a text, or of elements of a list. */
  int minLength() default 0;

  /** The maximum number of characters of a text, or of elements of a list. */
  int maxLength() default Integer.MAX_VALUE;

  /** A regular expression that the whole text matches; empty for any text. */
  String pattern() default "";

  /**
   * A rule for a text, for the texts in a list, or for the names and values of a map of texts.
   * Replaces other limits.
   */
  TextRule rule() default TextRule.ANY;

  /**
   * The word that a text may be instead of a time as in RFC 3339; empty if it need not be a time.
   */
  String timeOr() default "";

  /** Whether a text, or the values of a map of texts, may also be JSON numbers or booleans. */
  boolean scalar() default false;

  /** An example for the documentation; empty for none. */
  String example() default "";
}
