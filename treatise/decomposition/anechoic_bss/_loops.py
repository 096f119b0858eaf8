"""Compiled loops over the frequencies of shifted sources: shift, deconvolve, refine a delay.

Spectra have the shape (rows, H, F) of a real two-dimensional transform; a signal is an image of one line (H = 1). The
spectrum of a source shifted by ``(down, right)`` is multiplied by ``exp(-2 pi i (h down / H + f right / W))``. At the
highest frequency of an even length, where a real signal has a cosine alone, the factor is its real part. Entries are
scaled so that plain sums over them are sums over the samples (see :class:`._spectra.Frame`).
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step

# A running product of phase factors is set anew after so many steps, before rounding errors add up.
ANEW = 32


@compiled_step
def line_factor(h, height, down):
    """Factor of a shift down at the frequency of line h."""
    frequency = h if 2 * h <= height else h - height
    angle = -2.0 * np.pi * frequency * down / height
    if height > 1 and 2 * h == height:
        return complex(np.cos(angle), 0.0)
    return complex(np.cos(angle), np.sin(angle))


@compiled_step
def column_factor(f, width, right, running, step):
    """Factor of a shift to the right at frequency f, from that of the frequency before."""
    if f % ANEW == 0:
        angle = -2.0 * np.pi * f * right / width
        return complex(np.cos(angle), np.sin(angle))
    return running * step


@compiled
def shifted_spectra(sources, delays, width, out):
    """Write the spectrum of source j as it is shifted in recording i to ``out[i, j]``."""
    n_rows, n_sources = delays.shape[:2]
    _, height, n_frequencies = sources.shape
    for i in range(n_rows):
        for j in range(n_sources):
            down, right = delays[i, j, 0], delays[i, j, 1]
            angle = -2.0 * np.pi * right / width
            step = complex(np.cos(angle), np.sin(angle))
            for h in range(height):
                line, column = line_factor(h, height, down), complex(1.0, 0.0)
                for f in range(n_frequencies):
                    column = column_factor(f, width, right, column, step)
                    factor = complex(column.real, 0.0) if 2 * f == width else column
                    out[i, j, h, f] = sources[j, h, f] * line * factor


@compiled
def deconvolve(recordings, weights, delays, width, damping, sources):
    """At each frequency, the sources that explain the recordings best, near those they were (Section 3.3.1).

    Solves ``(M* M + rho) s = M* x + rho s_before`` with ``M_ij = weight_ij`` times the factor of the shift, and rho the
    damping times the mean of the diagonal of ``M* M``: the error never rises, and where it does not depend on the
    sources they stay.
    """
    n_rows, n_sources = weights.shape
    _, height, n_frequencies = sources.shape
    columns = np.ones((n_rows, n_sources), np.complex128)
    steps = np.empty((n_rows, n_sources), np.complex128)
    lines = np.empty((n_rows, n_sources), np.complex128)
    mixing = np.empty(n_sources, np.complex128)
    gram, right = np.empty((n_sources, n_sources), np.complex128), np.empty(n_sources, np.complex128)
    for i in range(n_rows):
        for j in range(n_sources):
            angle = -2.0 * np.pi * delays[i, j, 1] / width
            steps[i, j] = complex(np.cos(angle), np.sin(angle))
    total = np.sum(weights * weights) / n_sources
    rho = damping * total
    if total == 0.0:
        return
    for h in range(height):
        for i in range(n_rows):
            for j in range(n_sources):
                lines[i, j] = line_factor(h, height, delays[i, j, 0])
        for f in range(n_frequencies):
            for j in range(n_sources):
                for k in range(j + 1):
                    gram[j, k] = 0.0
                gram[j, j] = rho
                right[j] = rho * sources[j, h, f]
            for i in range(n_rows):
                for j in range(n_sources):
                    columns[i, j] = column_factor(f, width, delays[i, j, 1], columns[i, j], steps[i, j])
                    factor = complex(columns[i, j].real, 0.0) if 2 * f == width else columns[i, j]
                    mixing[j] = weights[i, j] * lines[i, j] * factor
                for j in range(n_sources):
                    adjoint = np.conj(mixing[j])
                    right[j] += adjoint * recordings[i, h, f]
                    for k in range(j + 1):
                        gram[j, k] += adjoint * mixing[k]
            solve_hermitian(gram, right)
            for j in range(n_sources):
                sources[j, h, f] = right[j]


@compiled_step
def solve_hermitian(gram, right):
    """Solve in place by Cholesky's factors; only the lower half of the positive matrix is read."""
    n = len(right)
    for j in range(n):
        for k in range(j):
            for e in range(k):
                gram[j, k] -= gram[j, e] * np.conj(gram[k, e])
            gram[j, k] /= gram[k, k].real
            gram[j, j] -= gram[j, k] * np.conj(gram[j, k])
        gram[j, j] = np.sqrt(max(gram[j, j].real, 1e-300))
        for k in range(j):
            right[j] -= gram[j, k] * right[k]
        right[j] /= gram[j, j].real
    for j in range(n - 1, -1, -1):
        for k in range(j + 1, n):
            right[j] -= np.conj(gram[k, j]) * right[k]
        right[j] /= gram[j, j].real


@compiled_step
def correlation(cross, width, down, right, found):
    """Correlation at a lag between the samples, its slopes and curvatures, from the cross-spectrum."""
    height, n_frequencies = cross.shape
    angle = 2.0 * np.pi * right / width
    step = complex(np.cos(angle), np.sin(angle))
    found[:] = 0.0
    for h in range(height):
        if height > 1 and 2 * h == height:
            continue
        value, slope, curvature = complex(0.0, 0.0), complex(0.0, 0.0), complex(0.0, 0.0)
        column = complex(1.0, 0.0)
        for f in range(n_frequencies):
            if 2 * f == width:
                continue
            column = np.conj(column_factor(f, width, right, np.conj(column), np.conj(step)))
            term = cross[h, f] * column
            value += term
            slope += f * term
            curvature += f * f * term
        line = np.conj(line_factor(h, height, down))
        along = 2.0 * np.pi * (h if 2 * h <= height else h - height) / height
        across = 2.0 * np.pi / width
        found[0] += (line * value).real
        found[1] -= along * (line * value).imag
        found[2] -= across * (line * slope).imag
        found[3] -= along * along * (line * value).real
        found[4] -= across * across * (line * curvature).real
        found[5] -= along * across * (line * slope).real


@compiled
def refine_delays(cross, width, delays, signs, reach, tol):
    """Newton's steps from the samples at which the correlations are largest to their peaks between the samples.

    ``cross`` has the shape (rows, H, F); ``delays`` (rows, 2) changes by at most ``reach``, which may differ by axis.
    A step that does not raise the correlation is halved; none is taken where the peak is flat, or after one below tol.
    """
    now, new = np.empty(6), np.empty(6)
    for i in range(len(delays)):
        down, right = delays[i, 0], delays[i, 1]
        correlation(cross[i], width, down, right, now)
        for _ in range(12):
            slope_d, slope_r, bend_d, bend_r, bend_m = signs[i] * now[1:]
            if reach[0] == 0.0 and bend_r < 0.0:
                move_d, move_r = 0.0, -slope_r / bend_r
            elif bend_d < 0.0 and bend_d * bend_r - bend_m * bend_m > 0.0:
                size = bend_d * bend_r - bend_m * bend_m
                move_d = -(bend_r * slope_d - bend_m * slope_r) / size
                move_r = -(bend_d * slope_r - bend_m * slope_d) / size
            else:
                break
            gained = False
            for _ in range(6):
                to_d = min(max(down + move_d, delays[i, 0] - reach[0]), delays[i, 0] + reach[0])
                to_r = min(max(right + move_r, delays[i, 1] - reach[1]), delays[i, 1] + reach[1])
                correlation(cross[i], width, to_d, to_r, new)
                if signs[i] * new[0] > signs[i] * now[0]:
                    gained = True
                    break
                move_d, move_r = move_d / 2.0, move_r / 2.0
            if not gained:
                break
            moved = max(abs(to_d - down), abs(to_r - right))
            down, right = to_d, to_r
            now[:] = new
            if moved < tol:
                break
        delays[i, 0], delays[i, 1] = down, right
