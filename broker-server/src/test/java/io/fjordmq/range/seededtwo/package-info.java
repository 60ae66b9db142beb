/** Breaks rules of {@code HouseRules} on purpose. */
@NullMarked
package io.fjordmq.range.seededtwo;

import org.jspecify.annotations.NullMarked;
