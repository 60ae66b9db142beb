/** Tests of the checks of a machine, with files in place of the kernel's. */
@NullMarked
package io.fjordmq.cli.doctor;

import org.jspecify.annotations.NullMarked;
