/** Breaks rules of {@code HouseRules} on purpose. */
@NullMarked
package io.fjordmq.retain.seeded;

import org.jspecify.annotations.NullMarked;
