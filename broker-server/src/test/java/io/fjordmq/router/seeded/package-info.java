/** Breaks rules of {@code HouseRules} on purpose. */
@NullMarked
package io.fjordmq.router.seeded;

import org.jspecify.annotations.NullMarked;
