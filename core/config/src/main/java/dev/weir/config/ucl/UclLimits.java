package dev.weir.config.ucl;

/**
 * The resource limits of one configuration. Each is far above the needs of real trees and only stops accidents and
 * attacks.
 *
 * @param fileBytes the maximum size of one file
 * @param totalBytes the maximum size of all files together; a file that is included twice counts twice
 * @param includes the maximum number of included files
 * @param includeDepth the maximum nesting of includes (Rspamd: 16)
 * @param depth the maximum nesting of sections and arrays, includes counted in (Rspamd: 65535)
 * @param values the maximum number of values, inherited copies counted in
 * @param expandedChars the maximum number of characters that variables expand to
 */
public record UclLimits(int fileBytes, long totalBytes, int includes, int includeDepth, int depth, int values,
        long expandedChars) {
    /**
     * 16 MiB per file, 64 MiB in total, 4096 files, 16 levels of includes, 256 levels of sections, one million values.
     */
    public static final UclLimits DEFAULT = new UclLimits(16 << 20, 64 << 20, 4096, 16, 256, 1_000_000, 64 << 20);
}
