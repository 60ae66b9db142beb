/** Breaks rules of {@code ModuleRules} on purpose. */
@NullMarked
package io.fjordmq.perf.seeded;

import org.jspecify.annotations.NullMarked;
