/** Breaks rules of {@code HouseRules} on purpose. */
@NullMarked
package io.fjordmq.range.seeded;

import org.jspecify.annotations.NullMarked;
