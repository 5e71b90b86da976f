/**
 * Tests of the packages as they are built: on a fresh Debian system, unpacked, and by the checks of Debian, systemd,
 * AppArmor and Prometheus.
 */
@NullMarked
package dev.weir.packages;

import org.jspecify.annotations.NullMarked;
