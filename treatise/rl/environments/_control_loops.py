"""One step of each continuous world, compiled; an action is a vector of numbers here."""

import math

from treatise._core.jit import compiled, compiled_step

MOUNTAIN_CAR, ACROBOT, CART_POLE, PLANAR_ARM, SWING_UP, BICYCLE = range(6)


@compiled_step
def clipped(x, low, high):
    """The nearest number within the limits."""
    return min(max(x, low), high)


@compiled_step
def wrapped(angle):
    """The same angle between minus pi and pi."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


@compiled_step
def mountain_car(c, state, action, after):
    """Constants: power, gravity, fastest speed, left wall, goal."""
    speed = state[1] + c[0] * action[0] - c[1] * math.cos(3.0 * state[0])
    speed = clipped(speed, -c[2], c[2])
    place = state[0] + speed
    if place <= c[3]:
        place = c[3]
        speed = max(speed, 0.0)
    after[0], after[1] = place, speed
    return -1.0, place >= c[4]


@compiled_step
def acrobot_slopes(state, torque, out):
    """Accelerations of two links of mass, length and inertia one, in the form of Sutton and Barto's book."""
    first, second, first_speed, second_speed = state[0], state[1], state[2], state[3]
    d1 = 0.25 + 1.0 + 0.25 + math.cos(second) + 2.0
    d2 = 0.25 + 0.5 * math.cos(second) + 1.0
    pull = 0.5 * 9.8 * math.cos(first + second - math.pi / 2.0)
    swing = -0.5 * second_speed**2 * math.sin(second) - second_speed * first_speed * math.sin(second)
    swing += 1.5 * 9.8 * math.cos(first - math.pi / 2.0) + pull
    bend = torque + d2 / d1 * swing - 0.5 * first_speed**2 * math.sin(second) - pull
    bend /= 1.25 - d2**2 / d1
    out[0], out[1], out[2], out[3] = first_speed, second_speed, -(d2 * bend + swing) / d1, bend


@compiled_step
def acrobot(c, state, action, work, after):
    """Constants: seconds of a step, fastest speeds of both joints; one step of Runge and Kutta's."""
    dt = c[0]
    acrobot_slopes(state, action[0], work[0])
    for stage in range(1, 4):
        share = dt if stage == 3 else 0.5 * dt
        for i in range(4):
            after[i] = state[i] + share * work[stage - 1, i]
        acrobot_slopes(after, action[0], work[stage])
    for i in range(4):
        after[i] = state[i] + dt / 6.0 * (work[0, i] + 2.0 * work[1, i] + 2.0 * work[2, i] + work[3, i])
    after[0], after[1] = wrapped(after[0]), wrapped(after[1])
    after[2], after[3] = clipped(after[2], -c[1], c[1]), clipped(after[3], -c[2], c[2])
    return -1.0, -math.cos(after[0]) - math.cos(after[0] + after[1]) > 1.0


@compiled_step
def cart_pole(c, t, state, action, after):
    """Constants: force, seconds of a step, widest place, widest angle, steps to hold, what holding earns."""
    force = c[0] * clipped(action[0], -1.0, 1.0)
    sine, cosine = math.sin(state[2]), math.cos(state[2])
    # A cart of 1 kg, a pole of 0.1 kg whose middle is half a metre from the joint.
    push = (force + 0.05 * state[3] ** 2 * sine) / 1.1
    bend = (9.8 * sine - cosine * push) / (0.5 * (4.0 / 3.0 - 0.1 * cosine**2 / 1.1))
    thrust = push - 0.05 * bend * cosine / 1.1
    after[0], after[1] = state[0] + c[1] * state[1], state[1] + c[1] * thrust
    after[2], after[3] = state[2] + c[1] * state[3], state[3] + c[1] * bend
    if abs(after[0]) > c[2] or abs(after[2]) > c[3]:
        return 0.0, True
    reward = 1.0 - 0.5 * (after[2] / c[3]) ** 2 - 0.5 * (after[0] / c[2]) ** 2
    held = t + 1 >= c[4]
    return reward + (c[5] if held else 0.0), held


@compiled_step
def planar_arm(c, state, action, after):
    """Constants: turn of a step, target, its radius, what reaching it earns; three links of length one."""
    angle, x, y = 0.0, 0.0, 0.0
    for i in range(3):
        after[i] = state[i] + c[0] * action[i]
        angle += after[i]
        x += math.cos(angle)
        y += math.sin(angle)
    after[3], after[4] = x, y
    far = math.sqrt((x - c[1]) ** 2 + (y - c[2]) ** 2)
    reached = far <= c[3]
    return (c[4] if reached else 0.0) - far, reached


@compiled_step
def swing_up(c, state, action, after):
    """Constants: largest torque, seconds of a step, fastest speed; a rod of 1 kg and 1 m, and gravity of 10."""
    torque = clipped(action[0], -c[0], c[0])
    cost = wrapped(state[0]) ** 2 + 0.1 * state[1] ** 2 + 0.001 * torque**2
    speed = state[1] + c[1] * (15.0 * math.sin(state[0]) + 3.0 * torque)
    after[1] = clipped(speed, -c[2], c[2])
    after[0] = state[0] + c[1] * after[1]
    return -cost, False


@compiled_step
def bicycle(c, t, state, action, chance, after):
    """Randlov and Alstrom's equations; constants: widest tilt, cost of a fall, discount, noise of the rider.

    The state: tilt and its speed, handlebar and its speed, heading, front wheel and rear wheel.
    """
    gravity, speed, dt = 9.82, 10.0 / 3.6, 0.01
    back, drop, height, length, radius = 0.66, 0.3, 0.94, 1.11, 0.34
    frame, tyre, rider = 15.0, 1.7, 60.0
    mass, spin = frame + rider, speed / radius
    inertia = 13.0 / 3.0 * frame * height**2 + rider * (height + drop) ** 2
    tilt, tilt_speed, bar, bar_speed, heading = state[0], state[1], state[2], state[3], state[4]
    # The rider leans less surely than told; chance is uniform between 0 and 1.
    lean = tilt + math.atan((action[1] + c[3] * (2.0 * chance - 1.0)) / height)
    front, rear, middle = 0.0, 0.0, 0.0  # one over the radii of the circles that are driven
    if bar != 0.0:
        front, rear = abs(math.sin(bar)) / length, abs(math.tan(bar)) / length
        middle = 1.0 / math.sqrt((length - back) ** 2 + 1.0 / rear**2)
    turn = math.copysign(1.0, bar) * speed**2 * (tyre * radius * (front + rear) + mass * height * middle)
    fall = mass * height * gravity * math.sin(lean)
    fall -= math.cos(lean) * (tyre * radius**2 * spin * bar_speed + turn)
    twist = (action[0] - 1.5 * tyre * radius**2 * spin * tilt_speed) / (0.5 * tyre * radius**2)
    after[0], after[1] = tilt + dt * tilt_speed, tilt_speed + dt * fall / inertia
    after[2], after[3] = bar + dt * bar_speed, bar_speed + dt * twist
    if abs(after[2]) > 1.3963:  # the bars stop at 80 degrees
        after[2], after[3] = math.copysign(1.3963, after[2]), 0.0
    way = heading + bar
    way += math.copysign(1.0, way) * math.asin(clipped(0.5 * speed * dt * front, -1.0, 1.0))
    after[5], after[6] = state[5] - dt * speed * math.sin(way), state[6] + dt * speed * math.cos(way)
    way = heading + math.copysign(1.0, heading) * math.asin(clipped(0.5 * speed * dt * rear, -1.0, 1.0))
    after[7], after[8] = state[7] - dt * speed * math.sin(way), state[8] + dt * speed * math.cos(way)
    # Rounding pulls the wheels apart: the rear one is set back to the frame's length.
    apart = math.sqrt((after[5] - after[7]) ** 2 + (after[6] - after[8]) ** 2)
    after[7] += (after[5] - after[7]) * (apart - length) / apart
    after[8] += (after[6] - after[8]) * (apart - length) / apart
    after[4] = math.atan2(after[7] - after[5], after[6] - after[8])
    fallen = abs(after[0]) > c[0]
    cost = (after[0] - tilt) ** 2 + (c[1] if fallen else 0.0)
    return -cost * c[2] ** t, fallen


@compiled_step
def control_step(code, constants, t, state, action, chance, work, after):
    """One step of the world of this number: fills ``after``, returns the reward and whether the episode ended."""
    if code == MOUNTAIN_CAR:
        return mountain_car(constants, state, action, after)
    if code == ACROBOT:
        return acrobot(constants, state, action, work, after)
    if code == CART_POLE:
        return cart_pole(constants, t, state, action, after)
    if code == PLANAR_ARM:
        return planar_arm(constants, state, action, after)
    if code == SWING_UP:
        return swing_up(constants, state, action, after)
    return bicycle(constants, t, state, action, chance, after)


@compiled
def one_control_step(code, constants, t, state, action, chance, work, after):
    """The same, called from Python."""
    return control_step(code, constants, t, state, action, chance, work, after)
