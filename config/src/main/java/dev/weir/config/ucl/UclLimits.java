package dev.weir.config.ucl;

/**
 * How much a configuration may ask for. Every limit is far above what real trees need: they end accidents and attacks.
 *
 * @param fileBytes the longest file
 * @param totalBytes all files together, a file that is included twice counts twice
 * @param includes how many files may be read in all
 * @param includeDepth how deep includes may nest (Rspamd: 16)
 * @param depth how deep sections and arrays may nest, includes counted in; Rspamd allows 65535, which no file needs
 * @param values how many values there may be in all, inherited copies counted in
 * @param expandedChars how many characters the expansion of variables may yield in all
 */
public record UclLimits(int fileBytes, long totalBytes, int includes, int includeDepth, int depth, int values,
        long expandedChars) {
    /** 16 MiB a file, 64 MiB in all, 4096 files, 16 deep, sections 256 deep, a million values. */
    public static final UclLimits DEFAULT = new UclLimits(16 << 20, 64 << 20, 4096, 16, 256, 1_000_000, 64 << 20);
}
